package io.sluice.importer.job.read;

import io.sluice.model.error.OperationFailedException;

/** Turns an I/O failure into an error for the user. */
public final class DiskAdvice {
    /** The operating system's text for a full disk; the JDK and RocksDB give no other sign. */
    private static final String DISK_FULL = "No space left on device";

    private DiskAdvice() {}

    /** The error to throw for a failure after which everything was undone. */
    public static OperationFailedException failure(Throwable cause) {
        return new OperationFailedException(
                message(cause)
                        + (isDiskFull(cause)
                                ? "\nThe disk is full; the work was undone. Make room, or name another directory with --tmp"
                                : "\nThe work was undone"),
                cause);
    }

    /** The reason of a paused import, of which nothing was undone. */
    public static String reason(Exception cause) {
        return isDiskFull(cause)
                ? message(cause) + "\nThe disk is full. Make room, or name another directory with --tmp"
                : message(cause);
    }

    static String message(Throwable failure) {
        return failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage();
    }

    public static boolean isDiskFull(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause.getMessage() != null && cause.getMessage().contains(DISK_FULL)) {
                return true;
            }
        }
        return false;
    }
}
