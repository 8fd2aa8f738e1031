package io.sluice.engine.lsm;

import io.sluice.model.error.BadInputException;
import java.util.ArrayList;
import java.util.List;

/**
 * Limits of an event log.
 *
 * @param capBytes size limit of the file; beyond it, the older half is dropped
 * @param queueEvents size limit of the queue of events
 * @param waitMillis how long an event waits for room in the queue before it is lost
 */
public record LsmLogSettings(long capBytes, int queueEvents, long waitMillis) {
    /** The last 30,000 events or more, at 200 bytes to 2 kB each, which are read in about a second. */
    private static final long DEFAULT_CAP_BYTES = 64L << 20;
    /** Room for a thousand ingests a second during four seconds, in less than 10 MB of memory. */
    private static final int DEFAULT_QUEUE_EVENTS = 4096;
    /** About the time of one ingest. */
    private static final long DEFAULT_WAIT_MILLIS = 20;

    private static final long MIN_CAP_BYTES = 4 << 10;

    public LsmLogSettings {
        List<String> wrong = new ArrayList<>();
        if (capBytes < MIN_CAP_BYTES) {
            wrong.add("cap: " + capBytes + " bytes, must be at least " + MIN_CAP_BYTES);
        }
        if (queueEvents < 1) {
            wrong.add("queue: " + queueEvents + " events, must be at least 1");
        }
        if (waitMillis < 0) {
            wrong.add("wait: " + waitMillis + " ms, must not be negative");
        }
        if (!wrong.isEmpty()) {
            throw new BadInputException("event log settings: " + String.join("; ", wrong));
        }
    }

    public static LsmLogSettings defaults() {
        return new LsmLogSettings(DEFAULT_CAP_BYTES, DEFAULT_QUEUE_EVENTS, DEFAULT_WAIT_MILLIS);
    }
}
