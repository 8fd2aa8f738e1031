package io.sluice.cli.jobs.client;

import io.sluice.model.error.OperationFailedException;
import java.util.SplittableRandom;

/**
 * Exponential backoff with jitter: a random pause in the upper half of a bound that doubles from 0.5 s to 10 s. All
 * clients lose a service at the same moment, and must not come back at the same moment. Thread-safe.
 */
final class Pause {
    private static final long FIRST_MILLIS = 500;
    private static final long MOST_MILLIS = 10_000;
    private static final int MOST_DOUBLINGS = 5;

    private final SplittableRandom random;

    /** @param seed another one in every process */
    Pause(long seed) {
        random = new SplittableRandom(seed);
    }

    /**
     * Waits before another try.
     *
     * @param failures how many there were in a row, from 1
     */
    void before(int failures) {
        sleep(millis(failures));
    }

    /**
     * The wait before another try.
     *
     * @param failures how many there were in a row, from 1
     */
    long millis(int failures) {
        long bound = Math.min(MOST_MILLIS, FIRST_MILLIS << Math.min(failures - 1, MOST_DOUBLINGS));
        synchronized (random) {
            return random.nextLong(bound / 2, bound + 1);
        }
    }

    /** Waits. */
    static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new OperationFailedException("interrupted while waiting for the service", e);
        }
    }
}
