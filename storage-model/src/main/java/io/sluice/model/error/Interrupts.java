package io.sluice.model.error;

import java.nio.channels.ClosedByInterruptException;

/** Recognizes failures that the interrupt of a thread has caused. */
public final class Interrupts {
    private Interrupts() {}

    /**
     * Whether an interrupt caused a failure. An interrupted channel closes itself, and the step that used it reports
     * that as its own failure.
     */
    public static boolean caused(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof ClosedByInterruptException || cause instanceof InterruptedException) {
                return true;
            }
        }
        return false;
    }
}
