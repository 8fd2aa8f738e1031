package io.sluice.importer.job;

import org.jspecify.annotations.Nullable;

/**
 * A hand on a running import, for other threads: they may ask it to pause or to cancel, at any time and as often as
 * they like. A control is for one run of one import.
 *
 * <pre>
 *            pause             cancel
 *   NONE -----------> PAUSE -----------> CANCEL          what is asked for only grows,
 *     |                  |                  |
 *     | publish          | stops            | stops      and after any of these nothing can be asked for:
 *     v                  v                  v            an import that is being published is let finish
 *   over               over               over
 * </pre>
 *
 * <p>Whoever asks interrupts the import's thread, which stops its workers. The flag is taken off before the import is
 * left or undone, so that nothing of that is cut off.
 */
public final class ImportControl {
    /** What was asked for, the stronger ones last. */
    enum Request {
        NONE,
        PAUSE,
        CANCEL
    }

    /** Ten minutes: a node is started again, or its disk cleared, in that time when somebody is told. */
    private static final long GIVE_UP_MILLIS = 600_000;

    private Request request = Request.NONE;
    private volatile long giveUpAfterMillis = GIVE_UP_MILLIS;
    private boolean over;
    private @Nullable Thread running;

    /** A control that has asked for nothing. */
    public ImportControl() {}

    /** Sets how long nodes may take nothing before the import pauses by itself. */
    public ImportControl givingUpAfter(long millis) {
        giveUpAfterMillis = millis;
        return this;
    }

    long giveUpAfterMillis() {
        return giveUpAfterMillis;
    }

    /**
     * Asks the import to stop and to keep what nodes have taken of it, where its kind allows that.
     *
     * @return whether it stops for that, or has; false when it came too late, as the import is published or was ended
     *     by something else
     */
    public boolean pause() {
        return ask(Request.PAUSE);
    }

    /**
     * Asks the import to stop and to undo what was done. It wins over a pause that was asked for and has not happened.
     *
     * @return whether it stops for that, or has; false when it came too late, as the import is published, was paused,
     *     or was ended by something else. What was paused is undone with {@link ImportJob#abandon}.
     */
    public boolean cancel() {
        return ask(Request.CANCEL);
    }

    private synchronized boolean ask(Request asked) {
        if (over) {
            return asked.compareTo(request) <= 0;
        }
        if (asked.compareTo(request) > 0) {
            request = asked;
        }
        if (running != null) {
            running.interrupt();
        }
        return true;
    }

    /** The import runs on this thread from now on. */
    synchronized void attach() {
        if (over || running != null) {
            throw new IllegalStateException("a control is for one run of one import");
        }
        running = Thread.currentThread();
    }

    /**
     * Ends the import's step if it was asked to stop.
     *
     * @throws InterruptedException when it was
     */
    synchronized void check() throws InterruptedException {
        if (request != Request.NONE && !over) {
            throw new InterruptedException("the import was asked to stop");
        }
    }

    /**
     * The import is about to be published: from here on it cannot be asked for anything.
     *
     * @throws InterruptedException when it was asked to stop before
     */
    synchronized void finish() throws InterruptedException {
        check();
        over = true;
        running = null;
    }

    /** The import has stopped, for whatever reason: nobody interrupts its thread any more. Says what was asked for. */
    synchronized Request stopped() {
        over = true;
        running = null;
        return request;
    }
}
