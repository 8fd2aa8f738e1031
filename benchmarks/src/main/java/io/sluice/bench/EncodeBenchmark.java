package io.sluice.bench;

import io.sluice.importer.decode.SplitDecoder;
import io.sluice.importer.encode.KvTarget;
import io.sluice.importer.encode.RowEncoding;
import io.sluice.importer.source.Split;
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

/**
 * Text of TPC-C stock to the KVs of both indexes with their checksums, in nanoseconds per row. What decoding takes of
 * it is what {@link DecodeBenchmark#fast} says.
 *
 * <p>{@code java -cp "benchmarks/target/classes:benchmarks/target/lib/*" org.openjdk.jmh.Main EncodeBenchmark}
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
@SuppressWarnings("NullAway.Init") // JMH calls setUp first
public class EncodeBenchmark {
    private StockFile stock;
    private List<Split> splits;
    private SplitDecoder decoder;
    private RowEncoding encoding;

    @Setup
    public void setUp() {
        stock = StockFile.make(1, false);
        splits = stock.splits();
        decoder = SplitDecoder.of(stock.format());
        encoding = new RowEncoding(stock.table(), List.of(new Overwritten(), new Overwritten()));
    }

    @TearDown
    public void tearDown() {
        stock.delete();
    }

    @Benchmark
    @OperationsPerInvocation(StockFile.ROWS_PER_WAREHOUSE)
    public Object decodeAndEncode() {
        for (Split split : splits) {
            decoder.decode(split, (row, offset) -> encoding.encode(row, 0, offset), reject -> {
                throw new IllegalStateException("rejected: " + reject);
            });
        }
        return encoding.sum(0);
    }

    /** Takes every KV in the place of the one before, so that memory bandwidth is not measured too. */
    private static final class Overwritten implements KvTarget {
        private byte[] buffer = new byte[4096];

        @Override
        public byte[] room(int maxBytes) {
            if (maxBytes > buffer.length) {
                buffer = new byte[maxBytes];
            }
            return buffer;
        }

        @Override
        public int position() {
            return 0;
        }

        @Override
        public void added(long lengths) {}
    }
}
