package io.sluice.importer.decode;

import io.sluice.model.row.Row;

/** Receives decoded rows. */
@FunctionalInterface
public interface RowConsumer {
    /**
     * Receives one row; the row and its bytes are valid only during the call.
     *
     * @param byteOffset offset of the record in its file
     */
    void row(Row row, long byteOffset);
}
