package io.sluice.node.store;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A gate in front of native handles: it counts who is inside, and once closed lets nobody in and tells when the last
 * one has left. A call into RocksDB with a freed handle ends the whole process, so every call stands between
 * {@link #enter} and {@link #exit}.
 *
 * <p>Invariant: the low 63 bits of the state are the number of threads inside, the sign bit says closed.
 */
public final class UseCount {
    private static final long CLOSED = Long.MIN_VALUE;

    private final AtomicLong state = new AtomicLong();
    private final CountDownLatch drained = new CountDownLatch(1);

    /** Whether the caller is inside now and must {@link #exit}; false when the gate is closed. */
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

    /** Whoever has entered leaves. */
    public void exit() {
        if (state.decrementAndGet() == CLOSED) {
            drained.countDown();
        }
    }

    /** Whether nobody is let in any more. */
    public boolean closed() {
        return state.get() < 0;
    }

    /**
     * Closes the gate and waits until everybody has left. A thread that is inside itself would wait forever.
     *
     * @return whether this call was the one that closed it
     */
    public boolean closeAndAwait() {
        long before = state.getAndUpdate(now -> now | CLOSED);
        if (before == 0) {
            drained.countDown();
        }
        awaitDrained();
        return before >= 0;
    }

    private void awaitDrained() {
        boolean interrupted = false;
        while (true) {
            try {
                drained.await();
                break;
            } catch (InterruptedException e) {
                // Handles may not be freed while they are in use, whatever the caller is in a hurry for.
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
