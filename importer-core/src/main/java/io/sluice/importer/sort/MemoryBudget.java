package io.sluice.importer.sort;

import java.util.concurrent.atomic.AtomicLong;

/** A number of bytes that users reserve from and release to. Nobody waits for it: who gets none does without. */
public final class MemoryBudget {
    private final long totalBytes;
    private final AtomicLong reserved = new AtomicLong();

    public MemoryBudget(long totalBytes) {
        this.totalBytes = totalBytes;
    }

    /** Takes bytes if that many are free. */
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
