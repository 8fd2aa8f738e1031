package io.sluice.node.ingest;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A long step of an import that somebody may want to end who does not run it: over the network, who asked for it has
 * gone and asks for something else. It is ended by interrupting its thread, and only while it is at work on it.
 */
final class CancellableStep {
    private static final long ASK_AGAIN_MILLIS = 50;

    private @Nullable Thread running;
    private boolean cut;

    /** Runs the step; one at a time. */
    <T> T run(Supplier<T> work) {
        synchronized (this) {
            running = Thread.currentThread();
            cut = false;
        }
        try {
            return work.get();
        } finally {
            boolean served;
            synchronized (this) {
                running = null;
                served = cut;
            }
            if (served) {
                // The thread has other work to do that nobody wants to end.
                boolean unused = Thread.interrupted();
            }
        }
    }

    /**
     * Takes a lock that the step holds, and ends the step for that. Waits however long it takes.
     *
     * @param entitled whether the caller may do so; asked again and again
     */
    void cutAndLock(Lock lock, BooleanSupplier entitled) {
        boolean interrupted = false;
        while (true) {
            try {
                if (lock.tryLock() || lock.tryLock(ASK_AGAIN_MILLIS, TimeUnit.MILLISECONDS)) {
                    break;
                }
            } catch (InterruptedException e) {
                interrupted = true;
            }
            if (entitled.getAsBoolean()) {
                cut();
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void cut() {
        if (running != null && running != Thread.currentThread()) {
            cut = true;
            running.interrupt();
        }
    }
}
