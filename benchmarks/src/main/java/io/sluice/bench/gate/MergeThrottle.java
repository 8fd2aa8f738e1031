package io.sluice.bench.gate;

import io.sluice.node.ingest.FaultPoints;

/**
 * A slow disk for the storage node, which has no rate limiter: whatever this process has written is a debt, and before
 * the next merge begins it must be paid off at the disk's rate. What was not used is not saved up. Coarser than the
 * limiter of RocksDB that stock nodes get, a merge at a time instead of a block, and the same in sum; stricter in that
 * it counts the log too.
 */
final class MergeThrottle implements FaultPoints {
    private final double bytesPerNano;
    private long lastWritten = ProcessIo.bytesWritten();
    private long lastNanos = System.nanoTime();
    private long paidNanos = lastNanos;

    MergeThrottle(long bytesPerSecond) {
        bytesPerNano = bytesPerSecond / 1e9;
    }

    @Override
    public void reached(String point) {
        if (point.equals(MERGE)) {
            Deadline.pause(owedMillis());
        }
    }

    /** Waits until all is paid. */
    void payAll(Deadline patience) {
        long owed = owedMillis();
        while (owed > 0) {
            patience.sleep(Math.min(owed, 100));
            owed = owedMillis();
        }
    }

    private synchronized long owedMillis() {
        long now = System.nanoTime();
        long written = ProcessIo.bytesWritten();
        long from = paidNanos - lastNanos > 0 ? paidNanos : lastNanos;
        paidNanos = from + (long) ((written - lastWritten) / bytesPerNano);
        lastWritten = written;
        lastNanos = now;
        return Math.max(0, (paidNanos - now) / 1_000_000);
    }
}
