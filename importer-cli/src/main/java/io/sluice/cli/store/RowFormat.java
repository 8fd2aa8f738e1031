package io.sluice.cli.store;

/** The forms rows are printed in. */
enum RowFormat {
    /** A line {@code column = value} per column. */
    TEXT,
    /** A CSV record (RFC 4180). */
    CSV,
    /** A JSON object on one line. */
    JSON
}
