package io.sluice.node.ingest;

import io.sluice.engine.compact.Compactor;
import io.sluice.engine.compact.LiveTree;
import io.sluice.engine.compact.SublevelMap;
import io.sluice.engine.store.Family;
import io.sluice.engine.store.KeyBounds;
import io.sluice.engine.store.LsmFile;
import io.sluice.engine.store.RocksStore;
import io.sluice.engine.store.StoreErrors;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.schema.Table;
import io.sluice.model.thread.Backoff;
import io.sluice.model.thread.Daemons;
import io.sluice.model.thread.Interrupts;
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
 * Flushes full families of one import's small-SST buffer into its tree, one at a time on a background thread, so that
 * senders need not wait:
 *
 * <pre>
 *                 begin               flushed
 *        IDLE ------------> FLUSHING ---------> IDLE
 *                            |    ^
 *                     failed v    | after a wait that doubles
 *                           WAITING            any --stop, store closed--> STOPPED (for good)
 * </pre>
 *
 * <p>A family is dropped when its SSTs are in the tree. Until then a flush can be repeated from the start, because KVs
 * flushed twice are equal. Usable by several threads.
 */
final class SmallSstFlusher {
    private static final Logger LOG = LoggerFactory.getLogger(SmallSstFlusher.class);

    private static final long POLL_MILLIS = 20;
    /** Limit of the wait for room: compactions of a pick take seconds, so a longer wait has another cause. */
    private static final long ROOM_MILLIS = 120_000;

    private final RocksStore store;
    private final IngestSettings settings;
    private final FaultPoints faults;
    private final LiveTree tree;
    private final Compactor compactor;
    private final Table table;
    private final List<KeySpan> indexes;
    private final Path directory;

    private enum State {
        IDLE,
        FLUSHING,
        WAITING,
        STOPPED
    }

    /** Changed by {@link #become} alone. */
    private volatile State state = State.IDLE;
    /** The latest flush thread; null before the first. */
    private @Nullable Thread worker;

    /** The latest family whose KVs are all in the tree. Only for the worker. */
    private @Nullable Family flushed;

    /** The number of consecutive failures, and the last failure. */
    private int failures;

    private @Nullable RuntimeException failure;
    /** Written only by the worker, or under the lock. */
    private long files;

    private long bytesFlushed;

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

    /** Takes the next state, unless the flusher has stopped. */
    private synchronized void become(State next) {
        if (state != State.STOPPED) {
            state = next;
        }
        notifyAll();
    }

    /** Whether a flush runs, or waits for its next attempt. */
    boolean busy() {
        State now = state;
        return now == State.FLUSHING || now == State.WAITING;
    }

    /** Begins to flush a family that gets no more Puts. Only when not {@link #busy}. */
    synchronized void begin(Family full) {
        if (state != State.IDLE) {
            throw new IllegalStateException(
                    state == State.STOPPED ? "the import is over" : "a family is being flushed already");
        }
        failures = 0;
        Thread thread = Daemons.thread("sluice-flush", () -> work(full));
        become(State.FLUSHING);
        boolean started = false;
        try {
            thread.start();
            started = true;
            worker = thread;
        } finally {
            if (!started) {
                become(State.IDLE);
            }
        }
    }

    /**
     * Waits until the flush has ended. A flush that waits for its next attempt starts at once.
     *
     * @throws OperationFailedException when it failed as often in a row as the settings allow; retries continue
     */
    synchronized void awaitIdle() {
        failures = 0;
        notifyAll();
        try {
            while (busy() && !givenUp()) {
                wait();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new OperationFailedException("waiting until small SSTs are flushed was interrupted", e);
        }
        throwIfGivenUp();
    }

    /**
     * Throws the failure of the flush if it has failed as often in a row as the settings allow, because more waiting
     * does not help.
     */
    synchronized void throwIfGivenUp() {
        RuntimeException why = failure;
        if (why != null && givenUp()) {
            throw why;
        }
    }

    private boolean givenUp() {
        return state == State.STOPPED || failures >= settings.backoff().attempts();
    }

    /** Cancels a running flush and waits for its end. No flush starts afterwards. */
    void stop() {
        Thread last;
        synchronized (this) {
            become(State.STOPPED);
            last = worker;
        }
        if (last != null) {
            // The caller is about to remove the family, so the flush must have ended.
            Interrupts.outlast(last::join);
        }
    }

    /** Bytes of the SSTs that were flushed and ingested. */
    synchronized long bytesFlushed() {
        return bytesFlushed;
    }

    /** The worker's loop: repeats the flush until it succeeds, the import ends or the store closes. */
    private void work(Family family) {
        try {
            while (!attempt(family)) {
                awaitNextAttempt();
                become(State.FLUSHING);
            }
        } finally {
            become(State.IDLE);
        }
    }

    private boolean attempt(Family family) {
        try {
            store.holdOpen(() -> flush(family));
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
                become(State.STOPPED);
                return true;
            }
            return false;
        } catch (Error e) {
            synchronized (this) {
                failure = new IllegalStateException("flushing small SSTs stopped with an error", e);
            }
            become(State.STOPPED);
            throw e;
        }
    }

    private boolean over() {
        return state == State.STOPPED || store.closed();
    }

    private synchronized void awaitNextAttempt() {
        failures++;
        Backoff backoff = settings.backoff();
        long millis = backoff.boundMillis(failures);
        RuntimeException why = Objects.requireNonNull(failure);
        String reason = Objects.requireNonNullElse(why.getMessage(), why.toString());
        LOG.warn("{}; the buffered small SSTs are kept and flushed again in {} ms", reason, millis, why);
        tree.smallSstFlushFailed(reason, millis);
        become(State.WAITING);
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        int tried = failures;
        try {
            long left = millis;
            // awaitIdle sets failures to 0.
            while (left > 0 && !over() && failures == tried) {
                wait(Math.min(left, TimeUnit.SECONDS.toMillis(1)));
                left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            }
        } catch (InterruptedException e) {
            become(State.STOPPED);
        }
    }

    /** Flushes a family and drops it. A repetition after a failed drop finds its KVs in the tree, and only drops it. */
    private void flush(Family family) {
        if (flushed != family) {
            flushIntoTree(family);
            flushed = family;
        }
        store.dropFamily(family.name());
    }

    private void flushIntoTree(Family family) {
        SmallSstFlush pass = new SmallSstFlush(table, settings.flushedSstBytes(), this::nextPath, this::over);
        try {
            List<SmallSstFlush.OutputFile> outputs = pass.run(family, indexes, stackStarts(tree.refresh()));
            faults.reached(FaultPoints.FLUSHED);
            if (!outputs.isEmpty()) {
                awaitRoom(outputs);
                long bytes = 0;
                for (SmallSstFlush.OutputFile output : outputs) {
                    bytes += Files.size(output.path());
                }
                List<Path> paths =
                        outputs.stream().map(SmallSstFlush.OutputFile::path).toList();
                tree.ingestFlushed(() -> tree.family().ingest(paths));
                faults.reached(FaultPoints.FLUSH_INGESTED);
                compactor.touched(tree.family().name());
                synchronized (this) {
                    bytesFlushed += bytes;
                }
            }
        } catch (IOException e) {
            throw StoreErrors.failed("flush column family " + family.name(), e);
        } finally {
            pass.outputs().forEach(output -> SmallSstBuffer.discard(output.path()));
        }
    }

    private Path nextPath() {
        return directory.resolve("flushed-" + ++files + ".sst");
    }

    /** The first keys of the tree's stacks, which are sets of files connected by overlap. */
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

    /** Waits until the tree has room. The gate cannot refuse these acknowledged KVs, and they must not fill level 0. */
    private void awaitRoom(List<SmallSstFlush.OutputFile> outputs) {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ROOM_MILLIS);
        int most = settings.admission().hardHeight();
        try {
            while (outputs.stream()
                    .anyMatch(output -> tree.top(new KeyBounds(output.first(), output.last())) >= most)) {
                if (over()) {
                    throw new OperationFailedException("the import ended before its small SSTs found room in the tree");
                }
                if (System.nanoTime() - end > 0) {
                    throw new OperationFailedException("small SSTs found no room in the tree for "
                            + TimeUnit.MILLISECONDS.toSeconds(ROOM_MILLIS) + " s: it is " + most + " files high"
                            + (tree.trouble().isEmpty() ? "" : ", and compaction fails: " + tree.trouble()));
                }
                Thread.sleep(POLL_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new OperationFailedException("flushing small SSTs was interrupted", e);
        }
    }
}
