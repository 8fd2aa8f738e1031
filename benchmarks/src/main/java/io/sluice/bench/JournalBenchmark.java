package io.sluice.bench;

import io.sluice.importer.job.ImportJob;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.ImportReport;
import io.sluice.importer.job.ImportSettings;
import io.sluice.node.StorageNode;
import io.sluice.sampler.SampledPlanner;
import java.util.UUID;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;

/**
 * Measures the cost of a job's journal: a resumable import of TPC-C stock in mode direct, with and without it, in a
 * warm JVM. The input is 10 warehouses, 306 MB; the unit is milliseconds.
 *
 * <p>{@code java -Xmx4g -cp "benchmarks/target/classes:benchmarks/target/lib/*" org.openjdk.jmh.Main JournalBenchmark}
 */
public class JournalBenchmark extends StockImports {
    private static final UUID JOB = new UUID(0, 1);
    private static final long SEED = 1;

    @Param({"false", "true"})
    public boolean journaled;

    @Benchmark
    public ImportReport importStock() throws InterruptedException {
        try (StorageNode node = openNode()) {
            ImportJob job = new ImportJob(
                    node,
                    stock().table().def(),
                    stock().inputs(),
                    settings(node.workDirectory(), ImportSettings.Mode.DIRECT),
                    new ImportProgress(),
                    JOB,
                    new SampledPlanner(stock().table().indexes().size(), SEED));
            return (journaled ? job.journaledIn(stock().directory().resolve("journal")) : job).run();
        }
    }
}
