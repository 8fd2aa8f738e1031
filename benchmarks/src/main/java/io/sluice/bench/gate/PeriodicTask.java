package io.sluice.bench.gate;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Something done again and again on a thread of its own, at a steady rate as far as it keeps up. Close it to end it.
 */
final class PeriodicTask implements AutoCloseable {
    private final Thread thread;
    private volatile boolean ended;

    PeriodicTask(String name, long periodMicros, Runnable task) {
        long period = TimeUnit.MICROSECONDS.toNanos(periodMicros);
        thread = new Thread(
                () -> {
                    long next = System.nanoTime();
                    while (!ended) {
                        task.run();
                        next = Math.max(next + period, System.nanoTime() - period);
                        long wait = next - System.nanoTime();
                        if (wait > 0) {
                            LockSupport.parkNanos(wait);
                        }
                    }
                },
                name);
        thread.setDaemon(true);
        thread.start();
    }

    /** Ends it; a task that hangs is left behind. */
    @Override
    public void close() {
        ended = true;
        try {
            thread.join(TimeUnit.SECONDS.toMillis(10));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
