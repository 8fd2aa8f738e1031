package io.sluice.importer.source.remote;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * Retry policy of requests: the pause doubles each time, with jitter ("equal jitter": half of the pause is fixed, half
 * is random), so that many readers do not retry at the same moment.
 *
 * @param attempts requests in a row without a byte of progress
 * @param firstMillis the first pause
 * @param maxMillis the longest pause, even if a server requests a longer one
 * @param seed seed of the jitter
 */
public record Backoff(int attempts, long firstMillis, long maxMillis, long seed) {
    /** Five attempts within some four seconds: enough for a restarted server, short enough for a precheck. */
    public static final Backoff USUAL = new Backoff(5, 300, 10_000, 0x51_75_1c_e5L);

    /**
     * Sleeps before a retry.
     *
     * @param attempt number of the retry, from 1
     * @param requestedMillis the pause that the server requests, or 0
     */
    void pause(int attempt, long requestedMillis) throws IOException {
        long doubled = Math.min(maxMillis, firstMillis << Math.min(attempt - 1, 20));
        long drawn = doubled / 2 + new SplittableRandom(seed + attempt).nextLong(doubled / 2 + 1);
        try {
            TimeUnit.MILLISECONDS.sleep(Math.max(drawn, Math.min(requestedMillis, maxMillis)));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting to try again");
        }
    }
}
