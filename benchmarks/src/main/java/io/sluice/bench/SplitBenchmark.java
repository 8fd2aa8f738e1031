package io.sluice.bench;

import io.sluice.importer.source.Split;
import io.sluice.importer.source.SplitSource;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Reads a file of TPC-C stock from the page cache and cuts it into splits, in nanoseconds per row of 306 bytes. One
 * file is cut by one thread at a time, so this bounds an import of one file on a machine of many cores.
 *
 * <p>{@code java -cp "benchmarks/target/classes:benchmarks/target/lib/*" org.openjdk.jmh.Main SplitBenchmark}
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
@SuppressWarnings("NullAway.Init") // JMH calls setUp first
public class SplitBenchmark {
    private static final int WAREHOUSES = 2;

    private final Split split = new Split(StockFile.SPLIT_BYTES);
    private StockFile stock;

    @Setup
    public void setUp() {
        stock = StockFile.make(WAREHOUSES, false);
    }

    @TearDown
    public void tearDown() {
        stock.delete();
    }

    @Benchmark
    @OperationsPerInvocation(WAREHOUSES * StockFile.ROWS_PER_WAREHOUSE)
    public long cut() {
        long splits = 0;
        try (SplitSource source = stock.source()) {
            while (source.next(split)) {
                splits++;
            }
        }
        return splits;
    }
}
