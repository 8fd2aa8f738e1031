package io.sluice.cli.encode;

import io.sluice.model.row.Row;

/** A source of rows in input order. */
@FunctionalInterface
interface RowSource {
    /** Receives rows. */
    @FunctionalInterface
    interface Rows {
        /**
         * Receives one row, which is valid only during the call.
         *
         * @param number number of the row in the input, from 1
         */
        void row(long number, Row row);
    }

    /**
     * Reads all rows.
     *
     * @throws io.sluice.model.error.BadInputException for the first record that is not a row of the table
     */
    void forEach(Rows rows);
}
