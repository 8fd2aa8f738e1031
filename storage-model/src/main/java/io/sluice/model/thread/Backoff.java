package io.sluice.model.thread;

import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The waits between tries of what has failed: their bound doubles with every failure in a row.
 *
 * @param firstMillis bound of the wait after the first failure
 * @param maxMillis largest bound
 * @param attempts failures in a row after which waiting callers get the error; 1 where a time limits the retries
 */
public record Backoff(long firstMillis, long maxMillis, int attempts) {
    private static final int MOST_DOUBLINGS = 30;

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

    /** The bound after that many failures in a row, from 1: the wait where no other process retries the same. */
    public long boundMillis(int failures) {
        return Math.min(maxMillis, firstMillis << Math.min(MOST_DOUBLINGS, failures - 1));
    }

    /**
     * A random wait in the upper half of the bound ("equal jitter", Brooker, AWS Architecture Blog, 2015): clients that
     * failed together do not retry together. It has no seed, because two processes must not draw the same waits.
     */
    public long jitteredMillis(int failures) {
        long bound = boundMillis(failures);
        return bound / 2 + ThreadLocalRandom.current().nextLong(bound - bound / 2) + 1;
    }

    /**
     * Sleeps.
     *
     * @param what purpose of the wait, for the message
     * @throws OperationFailedException when the thread is interrupted; it stays interrupted
     */
    public static void sleep(long millis, String what) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new OperationFailedException("interrupted while " + what, e);
        }
    }
}
