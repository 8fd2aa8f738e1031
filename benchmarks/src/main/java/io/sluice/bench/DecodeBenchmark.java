package io.sluice.bench;

import io.sluice.importer.decode.SplitDecoder;
import io.sluice.importer.source.Split;
import io.sluice.importer.source.SplitSource;
import java.util.List;
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
import org.openjdk.jmh.infra.Blackhole;

/**
 * Text of TPC-C stock, cut into splits, and to typed rows by both decoders, in nanoseconds per row of 306 bytes.
 *
 * <p>{@code java -cp "benchmarks/target/classes:benchmarks/target/lib/*" org.openjdk.jmh.Main DecodeBenchmark}
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
@SuppressWarnings("NullAway.Init") // JMH calls setUp first
public class DecodeBenchmark {
    private final Split space = new Split(StockFile.SPLIT_BYTES);
    private StockFile stock;
    private List<Split> splits;
    private SplitDecoder fast;
    private SplitDecoder commons;

    @Setup
    public void setUp() {
        stock = StockFile.make(1, false);
        splits = stock.splits();
        fast = SplitDecoder.fast(stock.format());
        commons = SplitDecoder.commons(stock.format());
    }

    @TearDown
    public void tearDown() {
        stock.delete();
    }

    /**
     * Reads the file from the page cache and cuts it. One thread at a time cuts a file, however many cores there are.
     */
    @Benchmark
    @OperationsPerInvocation(StockFile.ROWS_PER_WAREHOUSE)
    public long cut() {
        long cuts = 0;
        try (SplitSource source = stock.source()) {
            while (source.next(space)) {
                cuts++;
            }
        }
        return cuts;
    }

    @Benchmark
    @OperationsPerInvocation(StockFile.ROWS_PER_WAREHOUSE)
    public void fast(Blackhole sink) {
        decodeAll(fast, sink);
    }

    @Benchmark
    @OperationsPerInvocation(StockFile.ROWS_PER_WAREHOUSE)
    public void commons(Blackhole sink) {
        decodeAll(commons, sink);
    }

    private void decodeAll(SplitDecoder decoder, Blackhole sink) {
        for (Split split : splits) {
            decoder.decode(split, (row, offset) -> sink.consume(row), DecodeBenchmark::fail);
        }
    }

    private static void fail(Object reject) {
        throw new IllegalStateException("rejected: " + reject);
    }
}
