package io.sluice.importer.job;

import io.sluice.api.kv.KvChecksum;
import io.sluice.api.node.SstFile;
import io.sluice.importer.ship.Shipper;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * What the SSTs that were handed over add up to, and how many are on their way: all that an import needs to remember of
 * them, however many there are. Usable by several threads.
 */
final class ShippedChecksum {
    private KvChecksum sum = KvChecksum.EMPTY;
    private int underWay;
    /** The first delivery that failed. */
    private @Nullable CompletableFuture<SstFile> failed;

    /** Counts an SST; throws what an earlier one has failed with, as more of them would be in vain. */
    void add(CompletableFuture<SstFile> delivery) throws InterruptedException {
        throwIfFailed();
        synchronized (this) {
            underWay++;
        }
        // Nothing depends on what this returns: what arrived() notes is waited for.
        CompletableFuture<SstFile> unused = delivery.whenComplete((sst, failure) -> arrived(delivery, sst, failure));
    }

    private synchronized void arrived(
            CompletableFuture<SstFile> delivery, @Nullable SstFile sst, @Nullable Throwable failure) {
        underWay--;
        if (sst != null) {
            sum = sum.plus(sst.sum());
        }
        if (failure != null && failed == null) {
            failed = delivery;
        }
        notifyAll();
    }

    private void throwIfFailed() throws InterruptedException {
        CompletableFuture<SstFile> first;
        synchronized (this) {
            first = failed;
        }
        if (first != null) {
            Shipper.await(first);
        }
    }

    /** Waits for all that was added; returns their sum, or throws what the first of them has failed with. */
    KvChecksum await() throws InterruptedException {
        synchronized (this) {
            while (underWay > 0 && failed == null) {
                wait();
            }
        }
        throwIfFailed();
        synchronized (this) {
            return sum;
        }
    }
}
