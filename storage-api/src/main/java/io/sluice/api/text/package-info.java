/** Datums as PostgreSQL writes them: bytes of text to typed values and back. */
@NullMarked
package io.sluice.api.text;

import org.jspecify.annotations.NullMarked;
