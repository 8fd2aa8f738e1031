package io.sluice.engine.lsm;

import io.sluice.model.thread.Daemons;
import java.nio.file.Path;
import java.time.Clock;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The event log of one open store, for writers: {@link #record} queues an event for a thread that appends it to
 * {@value #FILE_NAME} in the store's directory. The log is for observation, so recording rarely waits and never fails.
 * Events that do not fit into the queue are counted and logged as a {@link LsmEvent.Gap}; a disk error ends the log
 * with one warning. Usable by several threads.
 *
 * <p>Callers record events of one column family in the order of their occurrence: under the lock, or on the thread,
 * that orders the changes. They record a {@link LsmEvent.Snapshot} at the first use of a family after the store was
 * opened.
 */
public final class LsmEvents implements AutoCloseable {
    /** The log's name in the store's directory. */
    public static final String FILE_NAME = "lsm-events.jsonl";

    /** The time that closing waits for queued events; the rest is lost. */
    private static final long CLOSE_MILLIS = 10_000;

    private final Path file;
    private final Clock clock;
    private final LsmLogSettings settings;
    private final BlockingQueue<QueuedEvent> queue;
    private final AtomicLong lost = new AtomicLong();
    private @Nullable Thread writer;
    private volatile boolean closed;

    private LsmEvents(Path file, Clock clock, LsmLogSettings settings) {
        this.file = file;
        this.clock = clock;
        this.settings = settings;
        queue = new ArrayBlockingQueue<>(settings.queueEvents());
    }

    /** Opens the log of a store. The first event creates the file and the thread. */
    public static LsmEvents open(Path storeDirectory, Clock clock, LsmLogSettings settings) {
        return new LsmEvents(storeDirectory.resolve(FILE_NAME), clock, settings);
    }

    /** Records an event of a column family. */
    public void record(String family, LsmEvent event) {
        record(family, null, event);
    }

    /**
     * Records an event of a column family and a table.
     *
     * @param table the table, or null
     */
    public void record(String family, @Nullable String table, LsmEvent event) {
        if (closed) {
            return;
        }
        startWriter();
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

    private synchronized void startWriter() {
        if (writer == null && !closed) {
            writer = Daemons.thread("lsm-events", new LogWriter(queue, new LogFile(file, settings.capBytes())));
            writer.start();
        }
    }

    /** Writes queued events and closes the file. Later events are ignored. */
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
