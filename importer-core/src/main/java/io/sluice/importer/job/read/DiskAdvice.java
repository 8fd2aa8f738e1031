package io.sluice.importer.job.read;

import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.SluiceException;

/** Turns an I/O failure into an error for the user. */
public final class DiskAdvice {
    /** The operating system's text for a full disk; the JDK and RocksDB give no other sign. */
    private static final String DISK_FULL = "No space left on device";

    private DiskAdvice() {}

    /** The error to throw: bad input for a full disk, which the user can clear; a failed operation otherwise. */
    public static SluiceException failure(Throwable cause) {
        String message = cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
        return isDiskFull(cause)
                ? new BadInputException(
                        message
                                + "\nThe disk is full; the import was undone. Make room, or name another directory with --tmp",
                        cause)
                : new OperationFailedException(message + "\nThe import was undone", cause);
    }

    /** The reason of a paused import, of which nothing was undone. */
    public static String reason(Exception cause) {
        String message = cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
        return isDiskFull(cause)
                ? message + "\nThe disk is full. Make room, or name another directory with --tmp"
                : message;
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
