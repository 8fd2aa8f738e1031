package io.sluice.node.ingest;

import io.sluice.api.node.SstFile;
import io.sluice.engine.store.Family;
import io.sluice.engine.store.KeyBounds;
import io.sluice.model.error.SluiceException;
import io.sluice.node.catalog.Receipts;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A queue of verified SSTs that wait to enter one tree. RocksDB ingests one call at a time. Threads that arrive during
 * a call wait; the first of them then ingests all waiting SSTs with disjoint spans in one call, with one synced write
 * for their receipts.
 */
final class IngestQueue {
    /** Most files in a call: one bad file fails the whole call. */
    private static final int MAX_BATCH = 64;

    private final Family family;
    private final Receipts receipts;
    private final FaultPoints faults;
    private final Lock one = new ReentrantLock();
    /** Guarded by itself. */
    private final Deque<Waiting> waiting = new ArrayDeque<>();

    IngestQueue(Family family, Receipts receipts, FaultPoints faults) {
        this.family = family;
        this.receipts = receipts;
        this.faults = faults;
    }

    /** An SST in the queue. Fields are guarded by the lock. */
    private static final class Waiting {
        final SstFile sst;
        final KeyBounds bounds;
        boolean done;

        @Nullable
        RuntimeException failure;

        Waiting(SstFile sst) {
            this.sst = sst;
            bounds = LsmShape.bounds(sst);
        }
    }

    /** Ingests an SST; it is in the tree and its receipt is durable when this returns. */
    void ingest(SstFile sst) {
        Waiting own = new Waiting(sst);
        synchronized (waiting) {
            waiting.add(own);
        }
        one.lock();
        try {
            while (!own.done) {
                ingestAll(nextBatch());
            }
        } finally {
            one.unlock();
        }
        if (own.failure != null) {
            throw own.failure;
        }
    }

    /** Removes the first waiting SST, and later ones that overlap neither it nor each other. */
    private List<Waiting> nextBatch() {
        List<Waiting> batch = new ArrayList<>();
        synchronized (waiting) {
            for (Iterator<Waiting> each = waiting.iterator(); each.hasNext() && batch.size() < MAX_BATCH; ) {
                Waiting next = each.next();
                if (batch.stream().noneMatch(other -> other.bounds.overlaps(next.bounds))) {
                    batch.add(next);
                    each.remove();
                }
            }
        }
        return batch;
    }

    private void ingestAll(List<Waiting> batch) {
        try {
            ingestTogether(batch);
        } finally {
            // After an Error, no thread must wait forever.
            end(
                    batch.stream().filter(each -> !each.done).toList(),
                    new IllegalStateException("ingestion stopped with an error"));
        }
    }

    private void ingestTogether(List<Waiting> batch) {
        try {
            family.ingest(batch.stream().map(each -> each.sst.path()).toList());
        } catch (SluiceException e) {
            if (batch.size() > 1) {
                // None was ingested: ingest them one by one to find the bad file.
                batch.forEach(each -> ingestTogether(List.of(each)));
                return;
            }
            end(batch, e);
            return;
        } catch (RuntimeException e) {
            end(batch, e);
            return;
        }
        try {
            faults.reached(FaultPoints.INGESTED);
            receipts.record(batch.stream().map(each -> each.sst).toList(), Receipts.Place.TREE);
            faults.reached(FaultPoints.RECEIPT);
            end(batch, null);
        } catch (RuntimeException e) {
            end(batch, e);
        }
    }

    private static void end(List<Waiting> batch, @Nullable RuntimeException failure) {
        for (Waiting each : batch) {
            each.done = true;
            each.failure = failure;
        }
    }
}
