package io.sluice.cli.progress;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.cli.progress.ProgressSnapshot.Estimate;
import org.junit.jupiter.api.Test;

class ProgressTextTest {
    private static final long SECOND = 1_000_000_000L;
    private final ProgressText text = new ProgressText();

    @Test
    void aRunOfAnImport() {
        assertEquals(
                "import   25% [#####---------------] 76.5 MB of 306 MB  250k rows  250k rows/s  76.5 MB/s  ETA 0:03",
                text.line(new ProgressSnapshot("import", 76_500_000, 306_000_000, 250_000, SECOND, "", null)));
        assertEquals(
                "merge   100% [####################] 306 MB of 306 MB  1.00M rows  4.50 s  limited by disk",
                text.line(new ProgressSnapshot(
                        "merge", 306_000_000, 306_000_000, 1_000_000, 9 * SECOND / 2, "disk", null)));
    }

    @Test
    void withoutATotal() {
        assertEquals(
                "import  1.00 kB  10 rows  5 rows/s  500 B/s",
                text.line(new ProgressSnapshot("import", 1000, -1, 10, 2 * SECOND, "", null)));
    }

    @Test
    void aJobsOwnEstimateIsShown() {
        assertEquals(
                "import   40% [########------------] 76.5 MB of 306 MB  250k rows  125k rows/s  38.2 MB/s  ETA 0:12"
                        + "  limited by cpu",
                text.line(told("import", 76_500_000, new Estimate(0.4, 12, 38_200_000, 125_000), "cpu")));
        assertEquals(
                "compact  97% [###################-] 306 MB of 306 MB  250k rows  ETA 0:01",
                text.line(told("compact", 306_000_000, new Estimate(0.97, 1, 0, 0), "")));
        assertEquals(
                "pending   0% [--------------------] 0 B of 306 MB  250k rows  limited by the queue, 3 before it",
                text.line(told(
                        "pending", 0, new Estimate(0, Double.NaN, Double.NaN, Double.NaN), "the queue, 3 before it")));
    }

    private static ProgressSnapshot told(String phase, long bytes, Estimate estimate, String limiter) {
        return new ProgressSnapshot(phase, bytes, 306_000_000, 250_000, SECOND, limiter, estimate);
    }
}
