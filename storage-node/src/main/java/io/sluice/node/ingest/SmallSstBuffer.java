package io.sluice.node.ingest;

import io.sluice.node.catalog.Receipt;
import io.sluice.node.catalog.Receipts;
import io.sluice.node.compact.LiveTree;
import io.sluice.node.store.Family;
import io.sluice.node.store.Puts;
import io.sluice.node.store.RocksStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where the KVs of one import's small SSTs land, until there are enough for SSTs of a decent size. Usable by several
 * threads.
 *
 * <pre>
 *   put --> [filling family] --full--> [draining family] --SSTs in key order--> the table's tree
 *                ^ a new one takes its place                 and is dropped
 * </pre>
 *
 * <p>The {@link SmallSstFlusher} drains beside the senders. While it is at work and the next family is full as well,
 * {@link #admits} lets nobody in: so what has landed is at most two families, and one SST per sender on top.
 */
final class SmallSstBuffer {
    private static final Logger LOG = LoggerFactory.getLogger(SmallSstBuffer.class);

    private final RocksStore store;
    private final Receipts receipts;
    private final FaultPoints faults;
    private final LiveTree tree;
    private final long landingBytes;
    private final int importId;
    private final SmallSstFlusher drainer;
    private final AtomicLong puts = new AtomicLong();
    private final AtomicLong bytesPut = new AtomicLong();

    /** Read: putting into the filling family. Write: replacing it. */
    private final ReadWriteLock rotation = new ReentrantReadWriteLock();

    private volatile @Nullable Filling filling;
    private int generations;
    /** What an earlier process has left; for the one thread that drains all. */
    private final Deque<Family> adopted = new ArrayDeque<>();

    /** A family that takes Puts. */
    private record Filling(Family family, AtomicLong bytes) {}

    SmallSstBuffer(ImportContext context, ImportTarget target) {
        store = context.store();
        landingBytes = context.settings().landingBytes();
        receipts = target.receipts();
        faults = context.faults();
        tree = target.tree();
        importId = target.importId();
        drainer = new SmallSstFlusher(context, target);
        adopt();
    }

    /** Families that an earlier process has left take no more Puts; they are drained when all are. */
    private void adopt() {
        for (String name : store.landingFamilies(importId)) {
            adopted.add(store.family(name));
            generations = Math.max(generations, RocksStore.landingGeneration(name) + 1);
        }
    }

    /**
     * Whether an SST may land now; begins a drain when it is time to.
     *
     * @throws io.sluice.api.error.OperationFailedException when it may not, and draining keeps failing
     */
    boolean admits() {
        Filling now = filling;
        if (now == null || now.bytes().get() < landingBytes) {
            return true;
        }
        if (rotate()) {
            return true;
        }
        drainer.throwIfGivenUp();
        return false;
    }

    /** Puts the KVs of an SST and its receipt, in one durable write, and removes the file. */
    void put(StagedSst sst) {
        Lock using = rotation.readLock();
        Filling into = null;
        while (into == null) {
            using.lock();
            into = filling;
            if (into == null) {
                using.unlock();
                begin();
            }
        }
        try {
            Puts done = store.putAll(
                    into.family(), sst.path(), receipts.receipts(List.of(sst.sst()), Receipt.Place.LANDING));
            faults.reached(FaultPoints.RECEIPT);
            tree.put(done.kvs(), done.bytes());
            puts.addAndGet(done.kvs());
            bytesPut.addAndGet(done.bytes());
            into.bytes().addAndGet(done.bytes());
            discard(sst.path());
        } finally {
            using.unlock();
        }
    }

    private void begin() {
        Lock changing = rotation.writeLock();
        changing.lock();
        try {
            if (filling == null) {
                String name = RocksStore.landingFamily(importId, generations++);
                filling = new Filling(store.createFamily(name), new AtomicLong());
            }
        } finally {
            changing.unlock();
        }
    }

    /** Hands the family that was filled over to be drained, unless another one still is. */
    private boolean rotate() {
        Lock changing = rotation.writeLock();
        changing.lock();
        try {
            Filling now = filling;
            if (now != null && now.bytes().get() >= landingBytes) {
                if (drainer.busy()) {
                    return false;
                }
                drainer.begin(now.family());
                filling = null;
            }
            return true;
        } finally {
            changing.unlock();
        }
    }

    /** Brings all that was Put into the tree. Nothing may be Put meanwhile. */
    void drainAll() {
        drainer.awaitIdle();
        while (!adopted.isEmpty()) {
            drainer.begin(adopted.remove());
            drainer.awaitIdle();
        }
        Filling last = filling;
        if (last != null) {
            drainer.begin(last.family());
            filling = null;
            drainer.awaitIdle();
        }
    }

    /** Drains no more, and waits for what is under way. */
    void stop() {
        drainer.stop();
    }

    /** What stays goes with the import's whole directory. */
    static void discard(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            LOG.warn("{} cannot be removed now", file, e);
        }
    }

    /** Whether nothing waits that was Put. */
    boolean empty() {
        return filling == null && adopted.isEmpty() && !drainer.busy();
    }

    /** KVs that were Put. */
    long puts() {
        return puts.get();
    }

    /** What was written for them: into the log, and as SSTs. */
    long bytesWritten() {
        return bytesPut.get() + drainer.bytesDrained();
    }
}
