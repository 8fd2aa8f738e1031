package io.sluice.bench;

import io.sluice.importer.sort.SortBuffer;
import io.sluice.importer.sort.Sorter;
import io.sluice.importer.sst.SstBuilder;
import io.sluice.importer.sst.SstFormat;
import io.sluice.model.file.DurableFiles;
import io.sluice.model.kv.IndexDigest;
import io.sluice.model.kv.IndexEncoder;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
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

/**
 * Writing an SST of 100,000 KVs and syncing it, in nanoseconds per KV: values of 310 bytes as a primary index has, and
 * of 5 as a secondary one.
 *
 * <p>{@code java -cp "benchmarks/target/classes:benchmarks/target/lib/*" org.openjdk.jmh.Main SstBenchmark}
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
@SuppressWarnings("NullAway.Init") // JMH calls setUp first
public class SstBenchmark {
    private static final int KVS = 100_000;
    private static final int KEY_BYTES = 12;

    @Param({"5", "310"})
    public int valueBytes;

    private Path directory;
    private SstFormat format;
    private IndexDigest index;
    private SortBuffer kvs;

    @Setup
    public void setUp() throws IOException {
        directory = Files.createTempDirectory("sluice-bench");
        format = new SstFormat();
        Table table = Table.bind(
                Ddl.parse("CREATE TABLE t (id INT PRIMARY KEY, payload BYTES)", "benchmark")
                        .get(0),
                1,
                name -> null);
        index = IndexDigest.of(table, 0);
        IndexEncoder encoder = IndexEncoder.ofAll(table).get(0);
        kvs = new SortBuffer(KVS * (KEY_BYTES + valueBytes + 16), KVS, new Sorter());
        Row row = new Row(2);
        byte[] payload = new byte[valueBytes];
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < KVS; i++) {
            random.nextBytes(payload);
            row.setLong(0, i);
            row.setBytes(1, payload, 0, valueBytes);
            byte[] room = kvs.room(encoder.maxBytes(row));
            kvs.added(encoder.encode(row, room, kvs.position()));
        }
    }

    @TearDown
    public void tearDown() throws IOException {
        format.close();
        DurableFiles.deleteTree(directory);
    }

    @Benchmark
    @OperationsPerInvocation(KVS)
    public long write() throws IOException {
        try (SstBuilder builder = new SstBuilder(directory, index, format)) {
            kvs.drainTo(builder);
            var sst = builder.finish();
            Files.delete(sst.path());
            return sst.fileBytes();
        }
    }
}
