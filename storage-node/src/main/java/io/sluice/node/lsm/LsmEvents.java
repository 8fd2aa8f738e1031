package io.sluice.node.lsm;

import java.nio.file.Path;
import java.time.Clock;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The event log of one open store, as its writers see it: {@link #record} hands an event to a thread that appends it to
 * {@value #FILE_NAME} in the store's directory. It is a picture book, not a ledger: recording hardly ever waits and
 * never fails. Events that find no room are counted and told of as a {@link LsmEvent.Gap}; a disk that refuses the log
 * ends it with one warning. Usable by several threads.
 *
 * <p>Events of one column family must be recorded in the order in which they happened: record them under the lock, or
 * on the thread, that orders the changes. Record a {@link LsmEvent.Snapshot} when a family is first touched after the
 * store was opened.
 */
public final class LsmEvents implements AutoCloseable {
    /** The log's name in the store's directory. */
    public static final String FILE_NAME = "lsm-events.jsonl";

    /** How long closing waits for what is queued; the rest is lost. */
    private static final long CLOSE_MILLIS = 10_000;

    private final @Nullable Path file;
    private final Clock clock;
    private final LsmLogSettings settings;
    private final BlockingQueue<QueuedEvent> queue;
    private final AtomicLong lost = new AtomicLong();
    private @Nullable Thread writer;
    private volatile boolean closed;

    private LsmEvents(@Nullable Path file, Clock clock, LsmLogSettings settings) {
        this.file = file;
        this.clock = clock;
        this.settings = settings;
        queue = new ArrayBlockingQueue<>(settings.queueEvents());
    }

    /** The log of a store. Neither file nor thread comes into being before the first event. */
    public static LsmEvents open(Path storeDirectory, Clock clock, LsmLogSettings settings) {
        return new LsmEvents(storeDirectory.resolve(FILE_NAME), clock, settings);
    }

    /** A log that keeps nothing. */
    public static LsmEvents none() {
        return new LsmEvents(null, Clock.systemUTC(), LsmLogSettings.defaults());
    }

    /** Records what happened to a column family. */
    public void record(String family, LsmEvent event) {
        record(family, null, event);
    }

    /**
     * Records what happened to a column family.
     *
     * @param table the table that was concerned
     */
    public void record(String family, @Nullable String table, LsmEvent event) {
        if (file == null || closed) {
            return;
        }
        startWriter(file);
        QueuedEvent queued = new QueuedEvent(clock.millis(), family, table, event, lost.get());
        try {
            if (!queue.offer(queued) && !queue.offer(queued, settings.waitMillis(), TimeUnit.MILLISECONDS)) {
                lost.incrementAndGet();
            }
        } catch (InterruptedException e) {
            lost.incrementAndGet();
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void startWriter(Path log) {
        if (writer == null && !closed) {
            writer = new Thread(new LogWriter(queue, new LogFile(log, settings.capBytes())), "lsm-events");
            writer.setDaemon(true);
            writer.start();
        }
    }

    /** Writes what is queued and closes the file. Events recorded later are ignored. */
    @Override
    public void close() {
        Thread running;
        synchronized (this) {
            closed = true;
            running = writer;
        }
        if (running == null) {
            return;
        }
        try {
            if (queue.offer(QueuedEvent.END, CLOSE_MILLIS, TimeUnit.MILLISECONDS)) {
                running.join(CLOSE_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
