package io.sluice.node.lsm;

import io.sluice.api.error.BadInputException;
import java.util.ArrayList;
import java.util.List;

/**
 * Bounds of an event log.
 *
 * @param capBytes most bytes of the file; when it would grow beyond, its older half goes
 * @param queueEvents most events that wait for the writer
 * @param waitMillis how long an event waits for room in that queue before it is lost
 */
public record LsmLogSettings(long capBytes, int queueEvents, long waitMillis) {
    /** An event with its files takes 200 bytes to 2 kB: the last 30,000 events or more, read in about a second. */
    private static final long DEFAULT_CAP_BYTES = 64L << 20;
    /** A thousand ingests a second for four seconds, and below 10 MB of memory. */
    private static final int DEFAULT_QUEUE_EVENTS = 4096;
    /** Hardly more than one ingest takes. */
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
