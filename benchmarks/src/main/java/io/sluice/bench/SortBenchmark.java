package io.sluice.bench;

import io.sluice.importer.sort.SortBuffer;
import io.sluice.importer.sort.Sorter;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A sort buffer of index-like keys in random order, in nanoseconds per KV. {@code long} keys share 16 bytes at the
 * beginning, so that the first eight tell nothing.
 *
 * <p>{@code java -cp "benchmarks/target/classes:benchmarks/target/lib/*" org.openjdk.jmh.Main SortBenchmark}
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 8)
@Measurement(iterations = 10)
@Fork(2)
@SuppressWarnings("NullAway.Init") // JMH calls setUp first
public class SortBenchmark {
    private static final int KVS = 500_000;
    private static final int SHARED_BYTES = 16;
    private static final int VALUE_BYTES = 5;

    @Param({"short", "long"})
    public String keys;

    private SortBuffer buffer;

    @Setup(Level.Invocation)
    public void setUp() {
        SplittableRandom random = new SplittableRandom(1);
        int shared = keys.equals("long") ? SHARED_BYTES : 2;
        int keyBytes = shared + 2 * Integer.BYTES;
        buffer = new SortBuffer(64 << 20, KVS, new Sorter());
        for (int i = 0; i < KVS; i++) {
            byte[] room = buffer.room(keyBytes + VALUE_BYTES);
            int key = buffer.position();
            for (int b = 0; b < keyBytes; b++) {
                room[key + b] = b < shared ? (byte) b : (byte) random.nextInt();
            }
            buffer.added((long) keyBytes << Integer.SIZE | VALUE_BYTES);
        }
    }

    @Benchmark
    @OperationsPerInvocation(KVS)
    public Object sort() {
        buffer.sort();
        return buffer;
    }
}
