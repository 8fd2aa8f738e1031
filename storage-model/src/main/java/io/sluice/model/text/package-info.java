/**
 * Text forms of datums, in PostgreSQL's format: parsed from bytes to typed values, and formatted back.
 *
 * <p>{@link io.sluice.model.text.DatumParser} creates one parser per column type. Parsers work on the bytes in the read
 * buffer and allocate only if the text is invalid, a number does not fit a {@code long}, or for JSON and arrays.
 * {@link io.sluice.model.text.DatumFormatter} formats datums for users and exports; it is not optimized for speed.
 */
@NullMarked
package io.sluice.model.text;

import org.jspecify.annotations.NullMarked;
