package io.sluice.importer.sort;

import java.util.concurrent.atomic.AtomicLong;

/**
 * A budget of bytes that users reserve and release. Reserving never waits: it succeeds at once or fails. Usable by
 * several threads.
 */
public final class MemoryBudget {
    private final long totalBytes;
    private final AtomicLong reserved = new AtomicLong();

    public MemoryBudget(long totalBytes) {
        this.totalBytes = totalBytes;
    }

    /** Reserves bytes if that many are free. */
    public boolean tryReserve(long bytes) {
        long now = reserved.get();
        while (now + bytes <= totalBytes) {
            if (reserved.compareAndSet(now, now + bytes)) {
                return true;
            }
            now = reserved.get();
        }
        return false;
    }

    public void release(long bytes) {
        reserved.addAndGet(-bytes);
    }

    public long reservedBytes() {
        return reserved.get();
    }
}
