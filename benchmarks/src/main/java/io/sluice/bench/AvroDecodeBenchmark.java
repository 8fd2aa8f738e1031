package io.sluice.bench;

import io.sluice.cli.Sluice;
import io.sluice.importer.decode.SplitDecoder;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.job.ImportSettings;
import io.sluice.importer.source.InputFiles;
import io.sluice.importer.source.Split;
import io.sluice.importer.source.SplitSource;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/**
 * Avro container files of TPC-C stock to typed rows, and CSV of the same rows beside them, in nanoseconds per row.
 *
 * <p>{@code java -cp "benchmarks/target/classes:benchmarks/target/lib/*" org.openjdk.jmh.Main AvroDecodeBenchmark}
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@SuppressWarnings("NullAway.Init") // JMH calls setUp first
public class AvroDecodeBenchmark {
    private static final int SPLIT_BYTES = 8 << 20;

    @Param({"csv", "null", "deflate", "snappy", "zstandard"})
    public String codec;

    private StockFile stock;
    private List<Split> splits;
    private SplitDecoder decoder;

    @Setup
    public void setUp() {
        stock = StockFile.make(1, false);
        Path file = stock.csv();
        InputFormat format = InputFormat.DEFAULT;
        if (!codec.equals("csv")) {
            file = stock.directory().resolve("stock.avro");
            format = InputFormat.Avro.containers(true);
            int exit = Sluice.run(
                    "workload", "tpcc", "stock", "--format", "avro", "--codec", codec, "-o", file.toString());
            if (exit != 0) {
                throw new IllegalStateException("the workload could not be written, exit code " + exit);
            }
        }
        splits = read(file, format);
        decoder = format.decoder(stock.table().def(), ImportSettings.MAX_RECORD_BYTES);
    }

    private static List<Split> read(Path file, InputFormat format) {
        List<Split> splits = new ArrayList<>();
        try (SplitSource source = new SplitSource(
                InputFiles.resolve(List.of(file.toString())),
                format.framing(),
                format.reading(SPLIT_BYTES, ImportSettings.MAX_RECORD_BYTES))) {
            Split split = new Split(SPLIT_BYTES);
            while (source.next(split)) {
                splits.add(split);
                split = new Split(SPLIT_BYTES);
            }
        }
        return splits;
    }

    @TearDown
    public void tearDown() {
        stock.delete();
    }

    @Benchmark
    @OperationsPerInvocation(StockFile.ROWS_PER_WAREHOUSE)
    public void decode(Blackhole sink) {
        for (Split split : splits) {
            decoder.decode(split, (row, position) -> sink.consume(row), AvroDecodeBenchmark::fail);
        }
    }

    private static void fail(Object reject) {
        throw new IllegalStateException("rejected: " + reject);
    }
}
