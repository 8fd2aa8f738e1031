package io.sluice.importer.decode;

import io.sluice.api.row.Row;

/** Takes decoded rows. */
@FunctionalInterface
public interface RowConsumer {
    /**
     * Takes one row; it and the bytes it points at are valid only during the call.
     *
     * @param byteOffset where in its file the record begins
     */
    void row(Row row, long byteOffset);
}
