package io.sluice.client;

import io.sluice.model.error.OperationFailedException;
import java.util.SplittableRandom;

/**
 * Computes waits between retries: random up to a bound that doubles from 100 ms to 5 s ("full jitter", Brooker, AWS
 * Architecture Blog, 2015), so that clients that failed together do not retry together. Usable by several threads.
 */
final class Backoff {
    private static final long FIRST_MILLIS = 100;
    private static final long MOST_MILLIS = 5_000;
    private static final int MOST_DOUBLINGS = 6;

    private final SplittableRandom random;

    Backoff(long seed) {
        random = new SplittableRandom(seed);
    }

    /**
     * The wait before the next retry, in milliseconds.
     *
     * @param failures number of failures in a row, from 1
     */
    long millis(int failures) {
        long bound = Math.min(MOST_MILLIS, FIRST_MILLIS << Math.min(failures - 1, MOST_DOUBLINGS));
        synchronized (random) {
            return 1 + random.nextLong(bound);
        }
    }

    static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new OperationFailedException("interrupted while waiting for a storage node", e);
        }
    }
}
