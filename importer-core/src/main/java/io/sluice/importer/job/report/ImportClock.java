package io.sluice.importer.job.report;

import io.sluice.importer.job.ImportProgress;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/** Measures the steps of one import, in seconds with three decimals, and moves its progress from phase to phase. */
public final class ImportClock {
    private final ImportProgress progress;
    private final Map<String, Double> seconds = new LinkedHashMap<>();
    private final long startNanos = System.nanoTime();

    /** Creates a clock that starts now. */
    public ImportClock(ImportProgress progress) {
        this.progress = progress;
    }

    public ImportProgress progress() {
        return progress;
    }

    /** A step that takes time. */
    public interface Step<T> {
        T run() throws IOException, InterruptedException;
    }

    /** Runs a step and records its time, which replaces the time of an earlier run of the step. */
    public <T> T timed(String name, ImportProgress.Phase phase, Step<T> step) throws IOException, InterruptedException {
        progress.enter(phase);
        long start = System.nanoTime();
        T result = step.run();
        seconds.put(name, toSeconds(System.nanoTime() - start));
        return result;
    }

    /** Moves the node's merge time from step {@code ingest} to step {@code compact}. */
    public void splitIngest(double compactSeconds) {
        double compact = toSeconds((long) (compactSeconds * 1e9));
        seconds.computeIfPresent("ingest", (name, both) -> toSeconds((long) (Math.max(0, both - compact) * 1e9)));
        seconds.put("compact", compact);
    }

    /** All times so far, and the total. */
    Map<String, Double> seconds() {
        seconds.put("total", toSeconds(System.nanoTime() - startNanos));
        return seconds;
    }

    static double toSeconds(long nanos) {
        return Math.round(nanos / 1e6) / 1e3;
    }
}
