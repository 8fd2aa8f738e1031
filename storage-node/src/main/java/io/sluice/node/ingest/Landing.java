package io.sluice.node.ingest;

import io.sluice.api.error.OperationFailedException;
import io.sluice.api.kv.KeySpan;
import io.sluice.node.catalog.Receipt;
import io.sluice.node.catalog.Receipts;
import io.sluice.node.compact.Compactor;
import io.sluice.node.compact.KeyBounds;
import io.sluice.node.compact.LiveTree;
import io.sluice.node.compact.LsmFile;
import io.sluice.node.compact.SublevelMap;
import io.sluice.node.store.Family;
import io.sluice.node.store.Puts;
import io.sluice.node.store.RocksStore;
import io.sluice.node.store.StoreErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
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
 * <p>A family that is drained gets no more Puts, and is dropped only when its SSTs are in the tree: a drain that fails
 * is done again. KVs that are drained twice are the same KVs.
 */
final class Landing {
    private static final Logger LOG = LoggerFactory.getLogger(Landing.class);

    private static final long POLL_MILLIS = 20;
    /** Merges of a pick take seconds; after this something else is wrong. */
    private static final long ROOM_MILLIS = 120_000;

    private final RocksStore store;
    private final Receipts receipts;
    private final IngestSettings settings;
    private final FaultPoints faults;
    private final LiveTree tree;
    private final Compactor compactor;
    private final int importId;
    private final List<KeySpan> indexes;
    private final Path directory;
    private final AtomicLong puts = new AtomicLong();
    private final AtomicLong bytesPut = new AtomicLong();
    private final AtomicLong bytesDrained = new AtomicLong();
    private final AtomicLong files = new AtomicLong();

    /** Read: putting into the filling family. Write: replacing it. */
    private final ReadWriteLock rotation = new ReentrantReadWriteLock();

    private volatile @Nullable Filling filling;
    private int generations;
    /** Families that are full; guarded by itself, which also lets one thread drain at a time. */
    private final List<Family> full = new ArrayList<>();

    /** A family that takes Puts. */
    private record Filling(Family family, AtomicLong bytes) {}

    Landing(ImportContext context, ImportTarget target) {
        store = context.store();
        settings = context.settings();
        faults = context.faults();
        compactor = context.compactor();
        receipts = target.receipts();
        tree = target.tree();
        importId = target.importId();
        indexes = target.indexes();
        directory = target.directory();
        adopt();
    }

    /** Families that an earlier process has left take no more Puts; they are drained like those that are full. */
    private void adopt() {
        for (String name : store.landingFamilies(importId)) {
            full.add(store.family(name));
            generations = Math.max(generations, RocksStore.landingGeneration(name) + 1);
        }
    }

    /**
     * Puts the KVs of an SST and its receipt, in one durable write, and removes the file. Drains first when it is time
     * to, so that what fails here has not been taken.
     */
    void put(StagedSst sst) {
        Filling old = filling;
        if (old != null && old.bytes().get() >= settings.landingBytes()) {
            rotate(old);
            drainFull();
        }
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

    /** Ends the filling of a family, once. */
    private void rotate(@Nullable Filling which) {
        Lock changing = rotation.writeLock();
        changing.lock();
        try {
            Filling now = filling;
            if (which != null && now != null && now.family() == which.family()) {
                filling = null;
                synchronized (full) {
                    full.add(which.family());
                }
            }
        } finally {
            changing.unlock();
        }
    }

    /** Brings all that was Put into the tree. Nothing may be Put meanwhile. */
    void drainAll() {
        rotate(filling);
        drainFull();
    }

    private void drainFull() {
        synchronized (full) {
            while (!full.isEmpty()) {
                drain(full.get(0));
                full.remove(0);
            }
        }
    }

    private void drain(Family family) {
        Drain drain = new Drain(settings.drainedSstBytes(), this::nextPath);
        try {
            List<Drain.Piece> pieces = drain.run(family, indexes, stackStarts(tree.look()));
            faults.reached(FaultPoints.DRAINED);
            if (!pieces.isEmpty()) {
                awaitRoom(pieces);
                for (Drain.Piece piece : pieces) {
                    bytesDrained.addAndGet(Files.size(piece.path()));
                }
                List<Path> paths = pieces.stream().map(Drain.Piece::path).toList();
                tree.drained(() -> tree.family().ingest(paths));
                faults.reached(FaultPoints.DRAIN_INGESTED);
                compactor.touched(tree.family().name());
            }
        } catch (IOException e) {
            throw StoreErrors.failed("drain column family " + family.name(), e);
        } finally {
            drain.pieces().forEach(piece -> discard(piece.path()));
        }
        store.dropFamily(family.name());
    }

    private Path nextPath() {
        return directory.resolve("drained-" + files.incrementAndGet() + ".sst");
    }

    /** Keys at which a stack of files begins that is connected by overlap. */
    private static List<byte[]> stackStarts(SublevelMap map) {
        List<LsmFile> byKey = new ArrayList<>(map.files());
        byKey.sort(Comparator.comparing((LsmFile file) -> file.bounds().smallest(), Arrays::compareUnsigned));
        List<byte[]> starts = new ArrayList<>();
        KeyBounds hull = null;
        for (LsmFile file : byKey) {
            if (hull == null || !hull.overlaps(file.bounds())) {
                starts.add(file.bounds().smallest());
                hull = file.bounds();
            }
            hull = hull.hull(file.bounds());
        }
        return starts;
    }

    /** These KVs are acknowledged, so they are not refused by the gate, but neither may they pile up in level 0. */
    private void awaitRoom(List<Drain.Piece> pieces) {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ROOM_MILLIS);
        int most = settings.admission().hardHeight();
        try {
            while (pieces.stream().anyMatch(piece -> tree.top(new KeyBounds(piece.first(), piece.last())) >= most)) {
                if (System.nanoTime() - end > 0) {
                    throw new OperationFailedException("small SSTs found no room in the tree for "
                            + TimeUnit.MILLISECONDS.toSeconds(ROOM_MILLIS) + " s: it is " + most + " files high"
                            + (tree.trouble().isEmpty() ? "" : ", and merging fails: " + tree.trouble()));
                }
                Thread.sleep(POLL_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new OperationFailedException("draining small SSTs was interrupted", e);
        }
    }

    /** What stays goes with the import's whole directory. */
    private static void discard(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            LOG.warn("{} cannot be removed now", file, e);
        }
    }

    /** KVs that were Put. */
    long puts() {
        return puts.get();
    }

    /** What was written for them: into the log, and as SSTs. */
    long bytesWritten() {
        return bytesPut.get() + bytesDrained.get();
    }

    /** Whether everything that was Put is in the tree. */
    boolean empty() {
        synchronized (full) {
            return filling == null && full.isEmpty();
        }
    }
}
