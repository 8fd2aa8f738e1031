package io.sluice.api.text;

import io.sluice.api.row.Row;
import org.jspecify.annotations.Nullable;

/** Reads text of one column into a row's slot. Immutable, usable by many threads; makes no object for good text. */
public interface DatumParser {
    /**
     * Reads UTF-8 text into a slot.
     *
     * @param buffer holds the text; a STRING slot will point into it
     * @param from first byte
     * @param to behind the last byte
     * @return null when the slot was set, else why it was not
     */
    @Nullable
    DatumProblem parse(byte[] buffer, int from, int to, Row row, int column);
}
