package io.sluice.engine.lsm;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The log's thread: appends queued events to the file, and stops writing after a disk error. */
final class LogWriter implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(LogWriter.class);
    /** Most events in one write. */
    private static final int BATCH_EVENTS = 256;

    private final BlockingQueue<QueuedEvent> queue;
    private final LogFile file;
    private long lost;
    private boolean failed;

    LogWriter(BlockingQueue<QueuedEvent> queue, LogFile file) {
        this.queue = queue;
        this.file = file;
    }

    @Override
    public void run() {
        List<QueuedEvent> batch = new ArrayList<>();
        boolean ended = false;
        try (file) {
            while (!ended) {
                batch.add(queue.take());
                queue.drainTo(batch, BATCH_EVENTS - 1);
                ended = batch.contains(QueuedEvent.END);
                write(batch);
                batch.clear();
            }
        } catch (InterruptedException e) {
            // Only the end of the JVM interrupts this thread.
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            warn(e);
        }
    }

    /**
     * Writes events. After a failure, events are still taken from the queue, because a full queue would delay writers.
     */
    private void write(List<QueuedEvent> batch) {
        if (failed) {
            return;
        }
        try {
            for (QueuedEvent event : batch) {
                if (event.equals(QueuedEvent.END)) {
                    break;
                }
                if (event.lostBefore() > lost) {
                    file.append(
                            event,
                            new LsmEvent.Gap(event.lostBefore() - lost, "events arrived faster than they were logged"));
                    lost = event.lostBefore();
                }
                file.append(event, event.event());
            }
            file.flush();
        } catch (IOException | RuntimeException e) {
            warn(e);
        }
    }

    private void warn(Exception e) {
        if (!failed) {
            failed = true;
            LOG.warn("the LSM event log ends here, nothing else is affected: {}", String.valueOf(e));
        }
    }
}
