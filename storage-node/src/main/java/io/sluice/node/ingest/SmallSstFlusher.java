package io.sluice.node.ingest;

import io.sluice.api.error.OperationFailedException;
import io.sluice.api.kv.KeySpan;
import io.sluice.api.schema.Table;
import io.sluice.node.compact.Backoff;
import io.sluice.node.compact.Compactor;
import io.sluice.node.compact.KeyBounds;
import io.sluice.node.compact.LiveTree;
import io.sluice.node.compact.LsmFile;
import io.sluice.node.compact.SublevelMap;
import io.sluice.node.store.Family;
import io.sluice.node.store.RocksStore;
import io.sluice.node.store.StoreErrors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings full landing families of one import into its tree, one at a time and on a thread of its own, so that those who
 * send SSTs need not wait for it:
 *
 * <pre>
 *                 begin               drained
 *        IDLE ------------> DRAINING ---------> IDLE
 *                            |    ^
 *                     failed v    | after a wait that doubles
 *                           WAITING            any --stop, store closed--> STOPPED
 * </pre>
 *
 * <p>A family is dropped when its SSTs are in the tree. Until then a drain can be done again from the start: KVs that
 * are drained twice are the same KVs. Usable by several threads.
 */
final class SmallSstFlusher {
    private static final Logger LOG = LoggerFactory.getLogger(SmallSstFlusher.class);

    private static final long POLL_MILLIS = 20;
    /** Merges of a pick take seconds; after this something else is wrong. */
    private static final long ROOM_MILLIS = 120_000;

    private final RocksStore store;
    private final IngestSettings settings;
    private final FaultPoints faults;
    private final LiveTree tree;
    private final Compactor compactor;
    private final Table table;
    private final List<KeySpan> indexes;
    private final Path directory;

    /** The thread at work; null when idle. */
    private @Nullable Thread worker;

    private volatile boolean stopped;
    /** Failures in a row, and the last of them. */
    private int failures;

    private @Nullable RuntimeException failure;
    /** Written by the worker only, or under the lock. */
    private long files;

    private long bytesDrained;

    SmallSstFlusher(ImportContext context, ImportTarget target) {
        store = context.store();
        settings = context.settings();
        faults = context.faults();
        compactor = context.compactor();
        tree = target.tree();
        table = target.table();
        indexes = target.indexes();
        directory = target.directory();
    }

    /** Whether a family is being drained, or waits to be drained again. */
    synchronized boolean busy() {
        return worker != null;
    }

    /** Begins to drain a family that gets no more Puts. Only when not {@link #busy}. */
    synchronized void begin(Family full) {
        if (worker != null || stopped) {
            throw new IllegalStateException(stopped ? "the import is over" : "a family is being drained already");
        }
        failures = 0;
        Thread thread = new Thread(() -> work(full), "sluice-drain");
        thread.setDaemon(true);
        worker = thread;
        thread.start();
    }

    /**
     * Waits until nothing is left to drain. A drain that waits for its next attempt is attempted at once.
     *
     * @throws OperationFailedException when it failed as often in a row as settings allow; it is tried again all the
     *     same
     */
    synchronized void awaitIdle() {
        failures = 0;
        notifyAll();
        try {
            while (worker != null && !givenUp()) {
                wait();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new OperationFailedException("waiting until small SSTs are drained was interrupted", e);
        }
        throwIfGivenUp();
    }

    /**
     * Throws what the drain fails with, if it has failed as often in a row as settings allow: waiting does not help
     * then.
     */
    synchronized void throwIfGivenUp() {
        RuntimeException why = failure;
        if (why != null && givenUp()) {
            throw why;
        }
    }

    private boolean givenUp() {
        return stopped || failures >= settings.backoff().attempts();
    }

    /** Ends what is under way, and waits for it. Nothing is drained any more. */
    void stop() {
        Thread last;
        synchronized (this) {
            stopped = true;
            notifyAll();
            last = worker;
        }
        boolean interrupted = false;
        while (last != null && last.isAlive()) {
            try {
                last.join();
            } catch (InterruptedException e) {
                // What the drain works on is about to be removed: it must have ended.
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Length of the SSTs that were written and taken. */
    synchronized long bytesDrained() {
        return bytesDrained;
    }

    /** On the worker: until it is done, or nobody wants it any more. */
    private void work(Family family) {
        try {
            while (!attempt(family)) {
                awaitNextAttempt();
            }
        } finally {
            synchronized (this) {
                worker = null;
                notifyAll();
            }
        }
    }

    private boolean attempt(Family family) {
        try {
            store.holdOpen(() -> drain(family));
            synchronized (this) {
                failures = 0;
                failure = null;
            }
            return true;
        } catch (RuntimeException e) {
            synchronized (this) {
                failure = e;
            }
            if (over()) {
                stopped = true;
                return true;
            }
            return false;
        } catch (Error e) {
            synchronized (this) {
                failure = new IllegalStateException("draining small SSTs broke off", e);
                stopped = true;
            }
            throw e;
        }
    }

    private boolean over() {
        return stopped || store.closed();
    }

    private synchronized void awaitNextAttempt() {
        failures++;
        Backoff backoff = settings.backoff();
        long millis = backoff.waitMillis(failures);
        RuntimeException why = Objects.requireNonNull(failure);
        String reason = Objects.requireNonNullElse(why.getMessage(), why.toString());
        LOG.warn("{}; what landed is kept and drained again in {} ms", reason, millis, why);
        tree.drainFailed(reason, millis);
        notifyAll();
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        int tried = failures;
        try {
            long left = millis;
            // Somebody who begins to wait sets failures to 0.
            while (left > 0 && !over() && failures == tried) {
                wait(Math.min(left, TimeUnit.SECONDS.toMillis(1)));
                left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            }
        } catch (InterruptedException e) {
            stopped = true;
        }
    }

    private void drain(Family family) {
        SmallSstFlush drain = new SmallSstFlush(table, settings.drainedSstBytes(), this::nextPath, this::over);
        try {
            List<SmallSstFlush.Piece> pieces = drain.run(family, indexes, stackStarts(tree.look()));
            faults.reached(FaultPoints.DRAINED);
            if (!pieces.isEmpty()) {
                awaitRoom(pieces);
                long bytes = 0;
                for (SmallSstFlush.Piece piece : pieces) {
                    bytes += Files.size(piece.path());
                }
                List<Path> paths =
                        pieces.stream().map(SmallSstFlush.Piece::path).toList();
                tree.drained(() -> tree.family().ingest(paths));
                faults.reached(FaultPoints.DRAIN_INGESTED);
                compactor.touched(tree.family().name());
                synchronized (this) {
                    bytesDrained += bytes;
                }
            }
        } catch (IOException e) {
            throw StoreErrors.failed("drain column family " + family.name(), e);
        } finally {
            drain.pieces().forEach(piece -> SmallSstBuffer.discard(piece.path()));
        }
        store.dropFamily(family.name());
    }

    private Path nextPath() {
        return directory.resolve("drained-" + ++files + ".sst");
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
    private void awaitRoom(List<SmallSstFlush.Piece> pieces) {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ROOM_MILLIS);
        int most = settings.admission().hardHeight();
        try {
            while (pieces.stream().anyMatch(piece -> tree.top(new KeyBounds(piece.first(), piece.last())) >= most)) {
                if (over()) {
                    throw new OperationFailedException("the import ended before its small SSTs found room in the tree");
                }
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
}
