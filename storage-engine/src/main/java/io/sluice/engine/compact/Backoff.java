package io.sluice.engine.compact;

import io.sluice.model.error.BadInputException;
import java.util.ArrayList;
import java.util.List;

/**
 * The waits between attempts of a failed compaction or flush.
 *
 * @param firstMillis wait after the first failure; each further one doubles it
 * @param maxMillis longest wait
 * @param attempts consecutive failures after which waiting callers get the error; retries continue
 */
public record Backoff(long firstMillis, long maxMillis, int attempts) {
    public Backoff {
        List<String> wrong = new ArrayList<>();
        if (firstMillis < 1 || firstMillis > maxMillis) {
            wrong.add("first wait: " + firstMillis + " ms, must be 1 to the longest wait, " + maxMillis);
        }
        if (attempts < 1) {
            wrong.add("attempts: " + attempts + ", must be at least 1");
        }
        if (!wrong.isEmpty()) {
            throw new BadInputException("backoff settings: " + String.join("; ", wrong));
        }
    }

    /**
     * Waits of 100 ms, 200 ms, ... to 30 s; eight attempts in a row take 13 s, enough for a disk that was full for a
     * moment.
     */
    public static Backoff defaults() {
        return new Backoff(100, 30_000, 8);
    }

    /** The wait after that many consecutive failures. */
    public long waitMillis(int failures) {
        return Math.min(maxMillis, firstMillis << Math.min(30, failures - 1));
    }
}
