package io.sluice.cli;

/** What the process ends with; scripts branch on it. */
public final class ExitCode {
    public static final int OK = 0;

    /** The input was fine, the work could not be done. */
    public static final int FAILED = 1;

    /** The input or the command line cannot be used. */
    public static final int BAD_INPUT = 2;

    /** The import succeeded without the rows that were rejected. */
    public static final int REJECTS = 3;

    /** The import stopped, and can be gone on with. */
    public static final int PAUSED = 4;

    /** Nobody reads standard output any more: what a shell says of a program that SIGPIPE has ended. */
    public static final int READER_GONE = 141;

    private ExitCode() {}
}
