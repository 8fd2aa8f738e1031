package io.sluice.model.thread;

import java.nio.channels.ClosedByInterruptException;

/** Recognizes failures that the interrupt of a thread has caused, and keeps interrupts from steps that must be done. */
public final class Interrupts {
    /** A wait that the interrupt of its thread ends. */
    @FunctionalInterface
    public interface Wait<E extends Exception> {
        void run() throws InterruptedException, E;
    }

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

    /** Waits on after each interrupt of this thread, and restores the interrupt after the wait. */
    public static <E extends Exception> void outlast(Wait<E> wait) throws E {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    wait.run();
                    return;
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Runs a step that must be done even if this thread was interrupted, and restores the interrupt after it. */
    public static void postpone(Runnable step) {
        boolean interrupted = Thread.interrupted();
        try {
            step.run();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
