package io.sluice.importer.job;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets other threads pause a running import, at any time and any number of times. A control is for one run of one
 * import. {@link ImportJob#abandon} undoes a paused import.
 *
 * <pre>
 *             pause
 *   running -----------> asked to stop
 *      |                      |
 *      | publish              | stops            after either, requests come too late:
 *      v                      v                  an import in publication runs to its end
 *     over                  over
 * </pre>
 *
 * <p>The requesting thread interrupts the import's thread, which stops its workers. The import clears the interrupt
 * before it detaches or undoes, so that this work is not interrupted.
 */
public final class ImportControl {
    /** Ten minutes: enough for an operator to restart a node or to clear its disk. */
    private static final long GIVE_UP_MILLIS = 600_000;

    private boolean asked;
    private volatile long giveUpAfterMillis = GIVE_UP_MILLIS;
    private boolean over;
    private @Nullable Thread running;

    /** Creates a control without a request. */
    public ImportControl() {}

    /** Sets how long nodes may take no SST before the import pauses by itself. */
    public ImportControl givingUpAfter(long millis) {
        giveUpAfterMillis = millis;
        return this;
    }

    public long giveUpAfterMillis() {
        return giveUpAfterMillis;
    }

    /**
     * Asks the import to stop. A resumable import keeps what nodes have taken.
     *
     * @return whether the import stops or has stopped because of this request; false if it was published or ended by
     *     something else before
     */
    public synchronized boolean pause() {
        if (over) {
            return asked;
        }
        asked = true;
        if (running != null) {
            running.interrupt();
        }
        return true;
    }

    /**
     * Does a step before the import, which a request interrupts, too. What the step returns all the same is not lost.
     *
     * @throws InterruptedException if a stop was requested; the thread is not interrupted any more
     */
    public <T extends @Nullable Object> T interruptible(Supplier<T> step) throws InterruptedException {
        synchronized (this) {
            check();
            attach();
        }
        try {
            return step.get();
        } catch (RuntimeException e) {
            check();
            throw e;
        } finally {
            synchronized (this) {
                running = null;
                if (asked) {
                    boolean unused = Thread.interrupted();
                }
            }
        }
    }

    /** Declares the current thread the import's thread. */
    public synchronized void attach() {
        if (over || running != null) {
            throw new IllegalStateException("a control is for one run of one import");
        }
        running = Thread.currentThread();
    }

    /**
     * Stops the import's step if a stop was requested.
     *
     * @throws InterruptedException if so
     */
    public synchronized void check() throws InterruptedException {
        if (asked && !over) {
            throw new InterruptedException("the import was asked to stop");
        }
    }

    /**
     * Marks the import as about to be published; later requests come too late.
     *
     * @throws InterruptedException if a stop was requested before
     */
    public synchronized void finish() throws InterruptedException {
        check();
        over = true;
        running = null;
    }

    /**
     * Marks the import as stopped, so that later requests do not interrupt its thread.
     *
     * @return whether a stop was requested
     */
    public synchronized boolean stopped() {
        over = true;
        running = null;
        return asked;
    }
}
