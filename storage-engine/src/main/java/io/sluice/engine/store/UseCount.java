package io.sluice.engine.store;

import io.sluice.model.thread.Interrupts;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A gate before native handles: it counts the callers inside, refuses callers once closed, and waits until the last one
 * has left. A call into RocksDB with a freed handle crashes the process, so every call stands between {@link #enter}
 * and {@link #exit}.
 *
 * <p>Invariant: the low 63 bits of the state are the number of threads inside, the sign bit says closed.
 */
public final class UseCount {
    private static final long CLOSED = Long.MIN_VALUE;

    private final AtomicLong state = new AtomicLong();
    private final CountDownLatch drained = new CountDownLatch(1);

    /** Enters the gate. Returns whether the caller is inside and must {@link #exit}; false when the gate is closed. */
    public boolean enter() {
        long now = state.get();
        while (now >= 0) {
            if (state.compareAndSet(now, now + 1)) {
                return true;
            }
            now = state.get();
        }
        return false;
    }

    /** Leaves the gate, once per successful {@link #enter}. */
    public void exit() {
        if (state.decrementAndGet() == CLOSED) {
            drained.countDown();
        }
    }

    /** Whether the gate is closed. */
    public boolean closed() {
        return state.get() < 0;
    }

    /**
     * Closes the gate and waits until all callers have left. A thread that is itself inside would wait forever.
     *
     * @return whether this call was the one that closed it
     */
    public boolean closeAndAwait() {
        long before = state.getAndUpdate(now -> now | CLOSED);
        if (before == 0) {
            drained.countDown();
        }
        // Handles must not be freed while in use, even when the caller is interrupted.
        Interrupts.outlast(drained::await);
        return before >= 0;
    }
}
