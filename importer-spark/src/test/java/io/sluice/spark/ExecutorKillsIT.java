package io.sluice.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.TableDigest;
import io.sluice.importer.job.ImportControl;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.staged.ManifestFile;
import io.sluice.importer.job.staged.SetPlace;
import io.sluice.importer.job.staged.StagedIngest;
import io.sluice.importer.job.staged.StagedSet;
import io.sluice.importer.source.remote.S3Settings;
import io.sluice.model.file.DurableFiles;
import io.sluice.node.NodeSettings;
import io.sluice.node.StorageNode;
import io.sluice.testing.ObjectStore;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Writes from a Spark whose executors are processes, killed by SIGKILL at random moments. Some are killed while or
 * after they put SSTs into the set, and speculative attempts run beside slow ones. Each write gives the table of an
 * undisturbed one, and leaves nothing else. {@code -Dsluice.spark.kills=N} is the number of writes; the nightly run has
 * 20.
 */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class ExecutorKillsIT {
    private static final int WRITES = Integer.getInteger("sluice.spark.kills", 2);
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());
    private static final int ROWS = 300_000;
    private static final int MOST_SUBMISSIONS = 10;
    private static final String DDL =
            "CREATE TABLE sale (id INT8 PRIMARY KEY, shop INT4 NOT NULL, name STRING, UNIQUE (name), INDEX (shop))";

    @TempDir
    Path directory;

    private ObjectStore objects;

    @Test
    void killedExecutorsChangeNothing() throws Exception {
        System.out.println("ExecutorKillsIT: seed " + SEED);
        Random random = new Random(SEED);
        Files.createDirectories(Path.of(System.getenv("SPARK_HOME"), "jars"));
        objects = new ObjectStore(Files.createDirectory(directory.resolve("objects")));
        objects.createBucket("sets");
        objects.useCredentials();
        try (SparkSession spark = SparkSession.builder()
                .master("local-cluster[2,1,1024]")
                .config("spark.ui.enabled", false)
                .config("spark.driver.bindAddress", "127.0.0.1")
                .config("spark.driver.host", "127.0.0.1")
                .config(
                        "spark.local.dir",
                        Files.createDirectory(directory.resolve("local")).toString())
                .config("spark.executor.extraClassPath", System.getProperty("java.class.path"))
                .config("spark.executor.extraJavaOptions", String.join(" ", ObjectStore.credentials()))
                // The master would remove an application whose executors end ten times.
                .config("spark.deploy.maxExecutorRetries", -1)
                .config("spark.task.maxFailures", 100)
                .config("spark.stage.maxConsecutiveAttempts", 100)
                .config("spark.speculation", true)
                .config("spark.speculation.interval", "50ms")
                .config("spark.speculation.multiplier", 1.1)
                .config("spark.speculation.quantile", 0.2)
                .getOrCreate()) {
            Dataset<Row> data = spark.range(0, ROWS, 1, 6)
                    .selectExpr(
                            "id",
                            "CAST(hash(id) % 100 AS INT) AS shop",
                            "concat('name ', reverse(CAST(id AS STRING))) AS name");
            Path quiet = directory.resolve("quiet");
            write(data, quiet.toString());
            TableDigest expected = ingested(SetPlace.of(quiet));
            assertEquals(ROWS, expected.indexes().get(0).sum().count());
            int kills = 0;
            int failed = 0;
            for (int i = 0; i < WRITES; i++) {
                String output = i % 2 == 0
                        ? "s3://sets/write" + i
                        : directory.resolve("write" + i).toString();
                SetPlace place = SetPlace.of(output, new S3Settings(URI.create(objects.url()), null, true));
                int submissions = 0;
                while (!ManifestFile.exists(place)) {
                    assertTrue(++submissions <= MOST_SUBMISSIONS, "no submission of write " + i + " ended well");
                    try (Killer killer = new Killer(random.nextLong())) {
                        write(data, output);
                        kills += killer.kills.get();
                    } catch (RuntimeException | org.apache.spark.SparkException e) {
                        failed++;
                        System.out.println("write " + i + " failed: " + e.getMessage());
                    }
                }
                String where = "write " + i + " of seed " + SEED;
                assertNothingLeft(output, StagedSet.open(place), where);
                assertEquals(expected.indexes(), ingested(place).indexes(), where);
            }
            System.out.println(WRITES + " writes, " + kills + " executors killed, " + failed + " submissions failed");
            assertTrue(kills > 0, "no executor was killed");
        } finally {
            objects.forgetCredentials();
            objects.close();
        }
    }

    private void write(Dataset<Row> data, String output) throws Exception {
        data.write()
                .format("sluice")
                .option("schema", DDL)
                .option("output", output)
                .option("partitions", 6)
                .option("s3-endpoint", objects.url())
                .option("s3-path-style", true)
                .save();
    }

    private TableDigest ingested(SetPlace place) throws Exception {
        StagedSet set = StagedSet.open(place);
        assertEquals(List.of(), set.problems(2));
        Path store = directory.resolve("store");
        DurableFiles.deleteTree(store);
        try (StorageNode node = StorageNode.open(store, NodeSettings.defaults())) {
            new StagedIngest(set, node, node.workDirectory(), 2, true, new ImportControl(), new ImportProgress()).run();
            return node.digest("sale");
        }
    }

    private void assertNothingLeft(String output, StagedSet set, String where) throws Exception {
        TreeSet<String> there = new TreeSet<>();
        if (output.startsWith("s3:")) {
            there.addAll(objects.names("sets", output.substring("s3://sets/".length())));
        } else {
            try (Stream<Path> files = Files.list(Path.of(output))) {
                files.forEach(file -> there.add(String.valueOf(file.getFileName())));
            }
        }
        TreeSet<String> named = new TreeSet<>(List.of("manifest.json"));
        set.manifest().ssts().forEach(sst -> named.add(sst.file()));
        assertEquals(named, there, where);
    }

    /** Kills some executors, one at a time, until it is closed. */
    private static final class Killer implements AutoCloseable {
        /** A new executor needs seconds to start, so more kills would let no write end. */
        private static final int MOST_KILLS = 4;

        private static final int MOST_PAUSE_MILLIS = 10_000;

        private final AtomicInteger kills = new AtomicInteger();
        private final AtomicBoolean ended = new AtomicBoolean();
        private final Thread thread;

        Killer(long seed) {
            Random random = new Random(seed);
            thread = new Thread(() -> run(random), "killer");
            thread.start();
        }

        private void run(Random random) {
            int most = 1 + random.nextInt(MOST_KILLS);
            while (!ended.get() && kills.get() < most) {
                try {
                    TimeUnit.MILLISECONDS.sleep(random.nextInt(MOST_PAUSE_MILLIS));
                } catch (InterruptedException e) {
                    return;
                }
                // They are the only Java processes that this one has started.
                List<ProcessHandle> executors = ProcessHandle.current()
                        .children()
                        .filter(process -> process.info().command().orElse("").endsWith("/java"))
                        .toList();
                if (!executors.isEmpty()
                        && executors.get(random.nextInt(executors.size())).destroyForcibly()) {
                    kills.incrementAndGet();
                }
            }
        }

        @Override
        public void close() {
            ended.set(true);
            thread.interrupt();
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
