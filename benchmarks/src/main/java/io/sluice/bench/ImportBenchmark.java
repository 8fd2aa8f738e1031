package io.sluice.bench;

import io.sluice.importer.job.ImportJob;
import io.sluice.importer.job.ImportReport;
import io.sluice.importer.job.ImportSettings;
import org.openjdk.jmh.annotations.Benchmark;

/**
 * Measures a whole import of TPC-C stock, from files to a verified and published table, in a warm JVM. The input is 10
 * warehouses, 306 MB; the unit is milliseconds.
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
