package io.sluice.importer.job.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.ImportProgress.Phase;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ImportClockTest {
    private final AtomicLong micros = new AtomicLong();
    private final ImportClock clock = new ImportClock(new ImportProgress(), () -> micros.get() * 1000);

    private void step(String name, long takesMicros) throws IOException, InterruptedException {
        clock.timed(name, Phase.IMPORT, () -> micros.addAndGet(takesMicros));
    }

    @Test
    void stepsAddUpToTheTotal() throws Exception {
        micros.set(1_300_999);
        step("import", 400_999);
        micros.addAndGet(50_999);
        step("ingest", 300_999);
        clock.splitIngest(0.25);
        step("publish", 20_999);
        micros.addAndGet(10_005);

        assertEquals(
                "{prepare=1.3, import=0.4, ingest=0.05, compact=0.25, publish=0.02, other=0.065, total=2.085}",
                clock.seconds().toString());
    }

    @Test
    void repeatedStepsAreAddedUp() throws Exception {
        step("import", 300_000);
        step("ingest", 200_000);
        clock.splitIngest(9);
        step("import", 100_000);
        step("ingest", 40_000);
        clock.splitIngest(0.03);

        assertEquals(
                "{prepare=0.0, import=0.4, ingest=0.01, compact=0.23, other=0.0, total=0.64}",
                clock.seconds().toString());
    }
}
