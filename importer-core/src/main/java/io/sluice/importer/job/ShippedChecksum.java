package io.sluice.importer.job;

import io.sluice.api.node.SstFile;
import io.sluice.importer.ship.Shipper;
import io.sluice.model.kv.KvChecksum;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Sums the checksums of handed-over SSTs and counts those under way, in constant memory. Usable by several threads. */
final class ShippedChecksum {
    private KvChecksum sum = KvChecksum.EMPTY;
    private int underWay;
    /** The first delivery that failed. */
    private @Nullable CompletableFuture<SstFile> failed;

    /** Counts an SST; throws the failure of an earlier one, since further SSTs would be in vain. */
    void add(CompletableFuture<SstFile> delivery) throws InterruptedException {
        throwIfFailed();
        synchronized (this) {
            underWay++;
        }
        // The returned future is unused: await() waits for what arrived() records.
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

    /** Waits for all added SSTs; returns their checksum, or throws the first failure. */
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
