package io.sluice.cli;

/** Exit codes of the process, for scripts. */
public final class ExitCode {
    public static final int OK = 0;

    /** The input was valid, but the work failed. */
    public static final int FAILED = 1;

    /** The input or the command line is invalid. */
    public static final int BAD_INPUT = 2;

    /** The import succeeded without the rows that were rejected. */
    public static final int REJECTS = 3;

    /** The import stopped and can be resumed. */
    public static final int PAUSED = 4;

    /** Broken pipe on standard output: the code that a shell reports for a program that SIGPIPE has terminated. */
    public static final int READER_GONE = 141;

    private ExitCode() {}
}
