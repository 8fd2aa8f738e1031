package io.sluice.importer.source.remote;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * How often and after which pauses a request is repeated: twice as long each time, with jitter ("equal jitter": half of
 * the pause is certain, half is drawn), so that many readers do not come back at once.
 *
 * @param attempts requests in a row without a byte of progress
 * @param firstMillis the first pause
 * @param maxMillis the longest pause, also when a server asks for a longer one
 * @param seed of the jitter
 */
public record Backoff(int attempts, long firstMillis, long maxMillis, long seed) {
    /** Five attempts within some four seconds: enough for a restarted server, short enough for a precheck. */
    public static final Backoff USUAL = new Backoff(5, 300, 10_000, 0x51_75_1c_e5L);

    /**
     * Sleeps before an attempt.
     *
     * @param attempt which one, from 1 for the first that is a repetition
     * @param askedMillis what the server asks for, or 0
     */
    void pause(int attempt, long askedMillis) throws IOException {
        long doubled = Math.min(maxMillis, firstMillis << Math.min(attempt - 1, 20));
        long drawn = doubled / 2 + new SplittableRandom(seed + attempt).nextLong(doubled / 2 + 1);
        try {
            TimeUnit.MILLISECONDS.sleep(Math.max(drawn, Math.min(askedMillis, maxMillis)));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting to try again");
        }
    }
}
