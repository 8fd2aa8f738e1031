package io.sluice.node.ingest;

import io.sluice.model.thread.Interrupts;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A long-running step of an import that another thread can cancel, as when its client has disconnected and sends
 * another request. Cancelling interrupts the step's thread, and only while it runs the step.
 */
final class CancellableStep {
    private static final long RETRY_MILLIS = 50;

    private @Nullable Thread running;
    private boolean cancel;

    /** Runs the step; one at a time. */
    <T> T run(Supplier<T> work) {
        synchronized (this) {
            running = Thread.currentThread();
            cancel = false;
        }
        try {
            return work.get();
        } finally {
            boolean cancelled;
            synchronized (this) {
                running = null;
                cancelled = cancel;
            }
            if (cancelled) {
                // The interruption was meant for the step, not for the thread's next work.
                boolean unused = Thread.interrupted();
            }
        }
    }

    /**
     * Takes the lock that the step holds, and cancels the step for it. Waits without a limit.
     *
     * @param entitled whether the caller may cancel the step; evaluated repeatedly
     */
    void cancelAndLock(Lock lock, BooleanSupplier entitled) {
        Interrupts.outlast(() -> {
            while (!lock.tryLock() && !lock.tryLock(RETRY_MILLIS, TimeUnit.MILLISECONDS)) {
                if (entitled.getAsBoolean()) {
                    cancel();
                }
            }
        });
    }

    private synchronized void cancel() {
        if (running != null && running != Thread.currentThread()) {
            cancel = true;
            running.interrupt();
        }
    }
}
