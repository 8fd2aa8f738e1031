package io.sluice.cli.node;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Waits for a termination signal, and keeps the process alive until this is closed. The JVM exits when its shutdown
 * hooks end, and native handles must be closed before.
 */
public final class Termination implements AutoCloseable {
    /** Time limit of the shutdown; a supervisor sends SIGKILL after its own limit. */
    private static final long CLOSE_SECONDS = 60;

    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread hook = new Thread(this::end, "termination");

    private Termination() {}

    /** Waits for the signal from now on. */
    public static Termination awaited() {
        Termination termination = new Termination();
        Runtime.getRuntime().addShutdownHook(termination.hook);
        return termination;
    }

    private void end() {
        asked.countDown();
        try {
            boolean unused = closed.await(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits until the process is to end. */
    public void await() throws InterruptedException {
        asked.await();
    }

    /** Everything else is closed. */
    @Override
    public void close() {
        closed.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The process is terminating, as expected.
            return;
        }
    }
}
