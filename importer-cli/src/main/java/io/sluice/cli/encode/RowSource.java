package io.sluice.cli.encode;

import io.sluice.api.row.Row;

/** The rows of a file, in its order. */
@FunctionalInterface
interface RowSource {
    /** Takes rows. */
    @FunctionalInterface
    interface Rows {
        /**
         * Takes one row, which is valid during the call.
         *
         * @param number its place in the file, from 1
         */
        void row(long number, Row row);
    }

    /**
     * Reads the file to its end.
     *
     * @throws io.sluice.api.error.BadInputException for the first record that is no row of the table
     */
    void forEach(Rows rows);
}
