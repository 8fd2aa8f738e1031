package io.sluice.node.ingest;

import io.sluice.api.node.SstFile;
import io.sluice.engine.compact.LiveTree;
import io.sluice.engine.store.Family;
import io.sluice.engine.store.FamilyNames;
import io.sluice.engine.store.Puts;
import io.sluice.engine.store.RocksStore;
import io.sluice.node.catalog.Receipts;
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
 * A buffer of the KVs of one import's small SSTs, until there are enough for larger SSTs. Usable by several threads.
 *
 * <pre>
 *   put --> [filling family] --full--> [flushing family] --SSTs in key order--> the table's tree
 *                ^ a new one takes its place                 and is dropped
 * </pre>
 *
 * <p>The {@link SmallSstFlusher} flushes in the background. While it is busy and the next family is full as well,
 * {@link #admits} refuses SSTs. So the buffer holds at most two families, plus one SST per sender.
 */
final class SmallSstBuffer {
    private static final Logger LOG = LoggerFactory.getLogger(SmallSstBuffer.class);

    private final RocksStore store;
    private final Receipts receipts;
    private final FaultPoints faults;
    private final LiveTree tree;
    private final long bufferBytes;
    private final int importId;
    private final SmallSstFlusher flusher;
    private final AtomicLong bytesPut = new AtomicLong();

    /** The read lock guards Puts into the filling family, the write lock its replacement. */
    private final ReadWriteLock rotation = new ReentrantReadWriteLock();

    private volatile @Nullable Filling filling;
    private int generations;
    /** Families of an earlier process; only for the thread that flushes all. */
    private final Deque<Family> adopted = new ArrayDeque<>();

    /** A family that takes Puts. */
    private record Filling(Family family, AtomicLong bytes) {}

    SmallSstBuffer(ImportContext context, ImportTarget target) {
        store = context.store();
        bufferBytes = context.settings().bufferBytes();
        receipts = target.receipts();
        faults = context.faults();
        tree = target.tree();
        importId = target.importId();
        flusher = new SmallSstFlusher(context, target);
        adopt();
    }

    /** Adopts the families of an earlier process. They take no more Puts, and {@link #flushAll} flushes them. */
    private void adopt() {
        for (String name : store.smallSstFamilies(importId)) {
            Family family = store.find(name);
            // One whose drop has begun is in the tree.
            if (family != null) {
                adopted.add(family);
            }
            generations = Math.max(generations, FamilyNames.generation(name) + 1);
        }
    }

    /**
     * Whether the buffer takes an SST now. Begins a flush when the filling family is full.
     *
     * @throws io.sluice.model.error.OperationFailedException when it does not, and flushes keep failing
     */
    boolean admits() {
        Filling now = filling;
        if (now == null || now.bytes().get() < bufferBytes) {
            return true;
        }
        if (rotate()) {
            return true;
        }
        flusher.throwIfGivenUp();
        return false;
    }

    /** Puts the KVs of an SST and its receipt, in one durable write, and removes the file. */
    void put(SstFile sst) {
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
            Puts done =
                    store.putAll(into.family(), sst.path(), receipts.receipts(List.of(sst), Receipts.Place.LANDING));
            faults.reached(FaultPoints.RECEIPT);
            tree.put(done.kvs(), done.bytes());
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
                String name = FamilyNames.ofSmallSsts(importId, generations++);
                filling = new Filling(store.createFamily(name), new AtomicLong());
            }
        } finally {
            changing.unlock();
        }
    }

    /** Hands the full family over to the flusher, unless that is busy. */
    private boolean rotate() {
        Lock changing = rotation.writeLock();
        changing.lock();
        try {
            Filling now = filling;
            if (now != null && now.bytes().get() >= bufferBytes) {
                if (flusher.busy()) {
                    return false;
                }
                flusher.begin(now.family());
                filling = null;
            }
            return true;
        } finally {
            changing.unlock();
        }
    }

    /** Flushes all families into the tree. No thread may Put meanwhile. */
    void flushAll() {
        flusher.awaitIdle();
        while (!adopted.isEmpty()) {
            flusher.begin(adopted.element());
            adopted.remove();
            flusher.awaitIdle();
        }
        Filling last = filling;
        if (last != null) {
            flusher.begin(last.family());
            filling = null;
            flusher.awaitIdle();
        }
    }

    /** Stops the flusher, and waits for a running flush to end. */
    void stop() {
        flusher.stop();
    }

    /** Deletes a file. A file that cannot be deleted is removed later with the import's directory. */
    static void discard(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            LOG.warn("{} cannot be removed now", file, e);
        }
    }

    /** Whether no KVs wait for a flush. */
    boolean empty() {
        return filling == null && adopted.isEmpty() && !flusher.busy();
    }

    /** Bytes written for them: to the log, and as SSTs. */
    long bytesWritten() {
        return bytesPut.get() + flusher.bytesFlushed();
    }
}
