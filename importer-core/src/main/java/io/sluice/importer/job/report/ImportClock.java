package io.sluice.importer.job.report;

import io.sluice.importer.job.ImportProgress;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Measures the steps of one import, and moves its progress from phase to phase.
 *
 * <p>The times of all steps add up to the total: {@code prepare} is the time before the first step, {@code other} the
 * time between steps and after the last one.
 */
public final class ImportClock {
    private final ImportProgress progress;
    private final LongSupplier nanoTime;
    private final Map<String, Long> nanos = new LinkedHashMap<>();
    private final long startNanos;

    /** Creates a clock that starts now. */
    public ImportClock(ImportProgress progress) {
        this(progress, System::nanoTime);
    }

    ImportClock(ImportProgress progress, LongSupplier nanoTime) {
        this.progress = progress;
        this.nanoTime = nanoTime;
        startNanos = nanoTime.getAsLong();
    }

    public ImportProgress progress() {
        return progress;
    }

    /** A step that takes time. */
    public interface Step<T> {
        T run() throws IOException, InterruptedException;
    }

    /** Runs a step and adds its time to that of earlier runs of the step. */
    public <T> T timed(String name, ImportProgress.Phase phase, Step<T> step) throws IOException, InterruptedException {
        progress.enter(phase);
        long start = nanoTime.getAsLong();
        nanos.putIfAbsent("prepare", start - startNanos);
        T result = step.run();
        nanos.merge(name, nanoTime.getAsLong() - start, Long::sum);
        return result;
    }

    /** Moves the node's merge time from step {@code ingest} to step {@code compact}. */
    public void splitIngest(double compactSeconds) {
        long compact = Math.min(nanos.getOrDefault("ingest", 0L), (long) (compactSeconds * 1e9));
        nanos.merge("ingest", -compact, Long::sum);
        nanos.merge("compact", compact, Long::sum);
    }

    /** All times so far and the total, in seconds with three decimals. They are rounded down, so that the sum holds. */
    Map<String, Double> seconds() {
        Map<String, Double> seconds = new LinkedHashMap<>();
        long totalMillis = (nanoTime.getAsLong() - startNanos) / 1_000_000;
        long otherMillis = totalMillis;
        for (var step : nanos.entrySet()) {
            long millis = step.getValue() / 1_000_000;
            seconds.put(step.getKey(), millis / 1e3);
            otherMillis -= millis;
        }
        seconds.put("other", otherMillis / 1e3);
        seconds.put("total", totalMillis / 1e3);
        return seconds;
    }

    static double toSeconds(long nanos) {
        return Math.round(nanos / 1e6) / 1e3;
    }
}
