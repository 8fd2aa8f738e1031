/**
 * Datums as PostgreSQL writes them: bytes of text to typed values and back.
 *
 * <p>{@link io.sluice.api.text.DatumParsers} hands out one parser per column type; they work on the bytes as they lie
 * in the read buffer and make no object unless the text is bad or a number outgrows a {@code long}.
 * {@link io.sluice.api.text.DatumFormatter} is the way back; it is for people and exports and takes its time.
 */
@NullMarked
package io.sluice.api.text;

import org.jspecify.annotations.NullMarked;
