package io.sluice.cli.progress;

import io.sluice.model.thread.Daemons;
import java.io.PrintStream;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Draws a job's progress on standard error until it is closed, on a thread of its own that only reads snapshots: on a
 * terminal one line that is drawn over ten times a second, elsewhere a line every few seconds, or nothing at all.
 */
public final class ProgressLine implements AutoCloseable {
    /** Styles of progress output. */
    public enum Style {
        /** Not at all. */
        NONE,
        /** A line now and then, for logs. */
        LINES,
        /** One line, drawn over. */
        LIVE;

        /** Chooses the style from the options. With JSON, progress is shown only if standard error is a terminal. */
        public static Style of(boolean quiet, boolean json, boolean terminal) {
            if (quiet) {
                return NONE;
            }
            if (terminal) {
                return LIVE;
            }
            return json ? NONE : LINES;
        }
    }

    private static final long LIVE_MILLIS = 100;
    private static final long LINES_MILLIS = 5_000;
    private static final String CLEAR_LINE = "\r\033[K";

    private final Supplier<ProgressSnapshot> snapshots;
    private final PrintStream err;
    private final Style style;
    private final ProgressText text = new ProgressText();
    private final ScheduledExecutorService clock;

    private ProgressLine(Supplier<ProgressSnapshot> snapshots, PrintStream err, Style style) {
        this.snapshots = snapshots;
        this.err = err;
        this.style = style;
        this.clock = Executors.newSingleThreadScheduledExecutor(Daemons.named("progress"));
    }

    /**
     * Begins to draw.
     *
     * @param snapshots tells how far the job is; called by another thread
     */
    public static ProgressLine start(Supplier<ProgressSnapshot> snapshots, PrintStream err, Style style) {
        ProgressLine line = new ProgressLine(snapshots, err, style);
        if (style != Style.NONE) {
            long periodMillis = style == Style.LIVE ? LIVE_MILLIS : LINES_MILLIS;
            var unused = line.clock.scheduleAtFixedRate(line::draw, periodMillis, periodMillis, TimeUnit.MILLISECONDS);
        }
        return line;
    }

    private void draw() {
        String line = text.line(snapshots.get());
        if (style == Style.LIVE) {
            err.print(CLEAR_LINE + line);
            err.flush();
        } else {
            err.println(line);
        }
    }

    /** Stops drawing and takes a live line away, so that the report or a message begins on a clean line. */
    @Override
    public void close() {
        clock.shutdownNow();
        try {
            // Drawing takes microseconds; this waits for one that is under way.
            if (clock.awaitTermination(1, TimeUnit.SECONDS) && style == Style.LIVE) {
                err.print(CLEAR_LINE);
                err.flush();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
