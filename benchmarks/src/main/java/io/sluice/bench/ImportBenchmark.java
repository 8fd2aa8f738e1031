package io.sluice.bench;

import io.sluice.importer.job.ImportJob;
import io.sluice.importer.job.ImportReport;
import io.sluice.importer.job.ImportSettings;
import org.openjdk.jmh.annotations.Benchmark;

/**
 * A whole import of TPC-C stock, 10 warehouses or 306 MB, from files to a verified and published table, in milliseconds
 * in a JVM that is warm.
 *
 * <p>{@code java -Xmx4g -cp "benchmarks/target/classes:benchmarks/target/lib/*" org.openjdk.jmh.Main ImportBenchmark}
 */
public class ImportBenchmark extends StockImports {
    @Benchmark
    public ImportReport importStock() throws InterruptedException {
        return run(
                ImportSettings.Mode.MERGE,
                (node, inputs, settings, progress) ->
                        new ImportJob(node, stock().table().def(), inputs, settings, progress));
    }
}
