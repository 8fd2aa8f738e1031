package io.sluice.importer.job;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/** How long the steps of one import took, in seconds with three decimals; moves its progress from phase to phase. */
final class ImportClock {
    private final ImportProgress progress;
    private final Map<String, Double> seconds = new LinkedHashMap<>();
    private final long startNanos = System.nanoTime();

    /** A clock that runs from now on. */
    ImportClock(ImportProgress progress) {
        this.progress = progress;
    }

    /** A step that takes time. */
    interface Step<T> {
        T run() throws IOException, InterruptedException;
    }

    /** Takes a step and notes its time; the time of a step that was taken before is replaced. */
    <T> T timed(String name, ImportProgress.Phase phase, Step<T> step) throws IOException, InterruptedException {
        progress.enter(phase);
        long start = System.nanoTime();
        T result = step.run();
        seconds.put(name, toSeconds(System.nanoTime() - start));
        return result;
    }

    /** Takes what the node spent on merging out of the time of ingestion. */
    void splitIngest(double compactSeconds) {
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
