package io.sluice.bench;

import io.sluice.engine.store.Family;
import io.sluice.engine.store.FamilyNames;
import io.sluice.engine.store.FamilyView;
import io.sluice.engine.store.KvCursor;
import io.sluice.engine.store.ReadPattern;
import io.sluice.engine.store.RocksStore;
import io.sluice.engine.store.RowBatch;
import io.sluice.engine.store.SstWriter;
import io.sluice.engine.store.TombstoneConversions;
import io.sluice.engine.store.WriteSet;
import io.sluice.model.file.DurableFiles;
import io.sluice.model.kv.KeySpan;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Measures seeks in a half-deleted table, with range tombstones from scans (threshold 8) and without (0). The table has
 * a million keys; the first half was deleted one by one, without a merge since. Each seek goes to a random key, and 100
 * nexts follow. The same in alternating rounds without any deletion shows that the setting costs nothing.
 *
 * <p>{@code java -cp "benchmarks/target/classes:benchmarks/target/lib/*" io.sluice.bench.TombstonesExperiment [seconds
 * per measurement, 10] [threads, 2]}
 */
public final class TombstonesExperiment {
    private static final int KEYS = 1_000_000;
    private static final int DELETED = 500_000;
    private static final int NEXTS = 100;
    private static final int VALUE_BYTES = 100;
    private static final int BATCH = 10_000;
    private static final int THRESHOLD = 8;
    /** Alternating rounds of the comparison without deletions; their medians are compared. */
    private static final int ROUNDS = 15;

    private static final long CACHE_BYTES = 512L << 20;
    private static final long SEED = 20_240_801;

    private final PrintStream out;
    private final double seconds;
    private final int threads;

    private TombstonesExperiment(PrintStream out, double seconds, int threads) {
        this.out = out;
        this.seconds = seconds;
        this.threads = threads;
    }

    /** Runs the experiment and prints its table. */
    public static void main(String[] args) throws Exception {
        double seconds = args.length > 0 ? Double.parseDouble(args[0]) : 10;
        int threads = args.length > 1 ? Integer.parseInt(args[1]) : 2;
        new TombstonesExperiment(System.out, seconds, threads).run();
    }

    private void run() throws Exception {
        Path directory = Files.createTempDirectory("sluice-tombstones");
        try {
            withoutDeletions(directory.resolve("none"), directory);
            double off = withDeletions(directory.resolve("off"), directory, 0);
            double on = withDeletions(directory.resolve("on"), directory, THRESHOLD);
            out.printf("threshold %d against 0: %.0f times as many seeks%n", THRESHOLD, on / off);
        } finally {
            DurableFiles.deleteTree(directory);
        }
    }

    private double withDeletions(Path db, Path temp, int threshold) throws Exception {
        try (RocksStore store = RocksStore.open(db, CACHE_BYTES)) {
            Family family = filled(store, temp);
            for (int from = 0; from < DELETED; from += BATCH) {
                RowBatch batch = new RowBatch();
                for (int key = from; key < from + BATCH; key++) {
                    batch.set(family, key(key), null);
                }
                store.write(batch, new WriteSet());
            }
            family.flush();
            family.convertTombstones(threshold);
            long begun = System.nanoTime();
            scan(family, 0);
            double first = (System.nanoTime() - begun) / 1e6;
            double rate = measured(family, seconds);
            TombstoneConversions done = store.tombstoneConversions();
            out.printf(
                    "500,000 of 1,000,000 deleted, threshold %d: first scan %.1f ms, then %,.1f seeks/s; %d range"
                            + " tombstones made, %d abandoned%n",
                    threshold, first, rate, done.made(), done.abandoned());
            return rate;
        }
    }

    /** Rounds alternate, so that what else the machine does meets both. */
    private void withoutDeletions(Path db, Path temp) throws Exception {
        try (RocksStore store = RocksStore.open(db, CACHE_BYTES)) {
            Family family = filled(store, temp);
            measured(family, seconds);
            List<Double> ratios = new ArrayList<>();
            List<Double> rates = new ArrayList<>();
            for (int i = 0; i < ROUNDS; i++) {
                boolean onFirst = i % 2 == 0;
                double first = round(family, onFirst);
                double second = round(family, !onFirst);
                ratios.add(onFirst ? first / second : second / first);
                rates.add(onFirst ? second : first);
            }
            ratios.sort(null);
            rates.sort(null);
            out.printf(
                    "nothing deleted: %,.0f seeks/s with threshold 0; with %d %+.2f %% (median of %d pairs, quartiles"
                            + " %+.2f %% and %+.2f %%)%n",
                    rates.get(ROUNDS / 2),
                    THRESHOLD,
                    percent(ratios.get(ROUNDS / 2)),
                    ROUNDS,
                    percent(ratios.get(ROUNDS / 4)),
                    percent(ratios.get(ROUNDS * 3 / 4)));
        }
    }

    private double round(Family family, boolean on) throws Exception {
        family.convertTombstones(on ? THRESHOLD : 0);
        return measured(family, seconds / 4);
    }

    private static double percent(double ratio) {
        return (ratio - 1) * 100;
    }

    private static Family filled(RocksStore store, Path temp) throws IOException {
        Family family = store.createFamily(FamilyNames.ofTable(1));
        Path sst = Files.createTempFile(temp, "keys", ".sst");
        byte[] value = new byte[VALUE_BYTES];
        SplittableRandom random = new SplittableRandom(SEED);
        try (SstWriter writer = new SstWriter(sst)) {
            for (int key = 0; key < KEYS; key++) {
                random.nextBytes(value);
                writer.add(key(key), value.clone());
            }
            writer.finish();
        }
        family.ingest(List.of(sst));
        return family;
    }

    /** Seeks per second of processor time: what else the machine does matters little. */
    private double measured(Family family, double forSeconds) throws InterruptedException, ExecutionException {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            long begun = System.nanoTime();
            long end = begun + (long) (forSeconds * TimeUnit.SECONDS.toNanos(1));
            List<Future<Double>> counts = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int thread = i;
                counts.add(pool.submit(() -> seeksUntil(family, thread, end)));
            }
            double nanos = 0;
            for (Future<Double> count : counts) {
                nanos += count.get();
            }
            return 1e9 * threads / nanos;
        } finally {
            pool.shutdownNow();
        }
    }

    /** Processor time of a seek, in nanoseconds. */
    private static double seeksUntil(Family family, int thread, long end) {
        SplittableRandom random = new SplittableRandom(SEED + thread);
        ThreadMXBean processor = ManagementFactory.getThreadMXBean();
        long begun = processor.getCurrentThreadCpuTime();
        long seeks = 0;
        // Each has an iterator of its own, as requests have.
        while (System.nanoTime() < end) {
            scan(family, random.nextInt(KEYS));
            seeks++;
        }
        return (double) (processor.getCurrentThreadCpuTime() - begun) / seeks;
    }

    private static void scan(Family family, int from) {
        KeySpan span = new KeySpan(key(from), new byte[] {'l'});
        try (FamilyView view = family.latest();
                KvCursor cursor = view.cursor(span, ReadPattern.SCAN)) {
            cursor.visit(NEXTS, (key, value) -> {});
        }
    }

    private static byte[] key(int key) {
        return ByteBuffer.allocate(9).put((byte) 'k').putLong(key).array();
    }
}
