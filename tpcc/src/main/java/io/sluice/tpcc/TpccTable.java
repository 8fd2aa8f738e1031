package io.sluice.tpcc;

/** One table's rows, each a function of its number. Immutable, usable by many threads. */
interface TpccTable {
    /** The number of rows. */
    long rows();

    /** No row is longer, its newline included. */
    int maxRowBytes();

    /**
     * Appends one row.
     *
     * @param row its number, from 0
     * @param random started at this row
     */
    void write(long row, SplitMix64 random, CsvBuffer out);
}
