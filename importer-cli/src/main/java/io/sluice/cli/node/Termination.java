package io.sluice.cli.node;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jline.utils.Signals;

/**
 * Waits for a termination signal. On the first the command closes all, and its process ends with its own exit code.
 * After a second the JVM shuts down with the signal's exit code; it too waits for the command to close, at most a
 * minute, because native handles must be closed before the JVM ends.
 */
public final class Termination implements AutoCloseable {
    private static final List<String> SIGNALS = List.of("TERM", "INT");
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
        // A JVM without signal handlers runs the hook only.
        SIGNALS.forEach(signal -> Signals.register(signal, termination::ask));
        return termination;
    }

    /** Ends the wait as a signal does. */
    void ask() {
        SIGNALS.forEach(Signals::registerDefault);
        asked.countDown();
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

    /** Waits for some time; returns whether the process is to end. */
    public boolean await(long millis) throws InterruptedException {
        return asked.await(millis, TimeUnit.MILLISECONDS);
    }

    /** Everything else is closed. */
    @Override
    public void close() {
        closed.countDown();
        SIGNALS.forEach(Signals::registerDefault);
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The process is terminating, as expected.
            return;
        }
    }
}
