package io.sluice.importer.job;

import io.sluice.api.error.BadInputException;
import io.sluice.api.error.OperationFailedException;
import io.sluice.api.error.SluiceException;

/** What to tell the user about a file that could not be written or read. */
final class DiskAdvice {
    /** All that the JDK and RocksDB say of a full disk is this, in the words of the operating system. */
    private static final String DISK_FULL = "No space left on device";

    private DiskAdvice() {}

    /** The failure for the user: a full disk is the user's to mend, anything else a failure of the work. */
    static SluiceException failure(Throwable cause) {
        String message = cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
        return isDiskFull(cause)
                ? new BadInputException(
                        message
                                + "\nThe disk is full; the import was undone. Make room, or name another directory with --tmp",
                        cause)
                : new OperationFailedException(message + "\nThe import was undone", cause);
    }

    /** Why an import is paused; nothing of it was undone. */
    static String reason(Exception cause) {
        String message = cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
        return isDiskFull(cause)
                ? message + "\nThe disk is full. Make room, or name another directory with --tmp"
                : message;
    }

    static boolean isDiskFull(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause.getMessage() != null && cause.getMessage().contains(DISK_FULL)) {
                return true;
            }
        }
        return false;
    }
}
