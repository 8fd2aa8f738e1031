package io.sluice.cli.imports;

/** How an import is checked before it becomes visible. */
enum VerifyLevel {
    /** Counts and checksums of what was sent and what arrived; free. */
    SUMS,
    /** The same, and everything is read back. */
    FULL
}
