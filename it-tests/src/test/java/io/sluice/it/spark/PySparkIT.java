package io.sluice.it.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.it.support.Imports;
import io.sluice.it.support.NodeProcess;
import io.sluice.it.support.Seeds;
import io.sluice.it.support.SluiceProcess;
import io.sluice.it.support.SluiceProcess.Result;
import io.sluice.testing.ObjectStore;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Writes of PyPI's PySpark, which loads the packaged jar, give the table of {@code sluice import}. They do so although
 * drivers, executors and nodes are killed by SIGKILL at random moments. They leave nothing else, once the same job was
 * submitted again.
 *
 * <p>{@code .ci/nightly spark-python} builds the jar and names a Python: {@code -Dsluice.it.python=FILE}, with the
 * packages pyspark and pyarrow.
 */
@SuppressWarnings("NullAway.Init") // made before all tests
class PySparkIT {
    private static final long SEED = Seeds.of(PySparkIT.class);
    private static final String PYTHON = System.getProperty("sluice.it.python", "");
    private static final String BUCKET = "sets";
    private static final int NODES = 3;
    private static final String THREADS = "local[2]";
    private static final String EXECUTORS = "local-cluster[2,1,1024]";
    /** Ten times what a write of 1,000,000 rows takes on two cores. */
    private static final int PATIENCE_SECONDS = 300;

    /** Longest time from the beginning of a write to a kill. A kill that came too late is repeated in half of it. */
    private static final int WRITE_MILLIS = 8_000;

    /** The same for a hand-over. */
    private static final int HAND_OVER_MILLIS = 1_000;

    private static final int POLL_MILLIS = 10;

    /** Writes the rows of a file as four CSV files, each of which one task reads, and as Parquet. */
    private static final String CONVERTER = """
            import os
            from pyarrow import csv, parquet, string
            lines = open("rows.csv", "rb").readlines()
            os.mkdir("csv")
            for i in range(4):
                open("csv/%d.csv" % i, "wb").writelines(lines[i::4])
            names = (["s_i_id", "s_w_id", "s_quantity"] + ["s_dist_%02d" % i for i in range(1, 11)]
                     + ["s_ytd", "s_order_cnt", "s_remote_cnt", "s_data"])
            texts = {name: string() for name in names if name.startswith("s_d")}
            os.mkdir("stock")
            parquet.write_table(
                csv.read_csv("rows.csv", csv.ReadOptions(column_names=names),
                             convert_options=csv.ConvertOptions(column_types=texts)),
                "stock/rows.parquet", row_group_size=100_000)
            """;

    @TempDir
    static Path shared;

    private static Path jar;
    private static Input large;
    private static Input small;
    private static ObjectStore objects;
    private static final Random RANDOM = new Random(SEED);

    @TempDir
    Path directory;

    private final List<NodeProcess> nodes = new ArrayList<>();
    private int submissions;

    /** Program of a job: {@code sluice-submit} with CSV files, or the script of the guide with Parquet. */
    enum Program {
        CSV,
        DATA_FRAME
    }

    /** Target of a job: a set in a directory or an object store, or nodes that get a set of a directory. */
    enum Target {
        DIRECTORY,
        OBJECTS,
        NODES
    }

    /**
     * Rows of some warehouses.
     *
     * @param directory directory with {@code stock.sql}, {@code csv/} and {@code stock/}
     * @param digest digest of their table
     */
    private record Input(Path directory, String digest) {}

    /**
     * A job, which is submitted once or several times.
     *
     * @param output directory or {@code s3://BUCKET/PREFIX}
     */
    private record Job(Program program, Target target, Input input, String output) {}

    @BeforeAll
    static void writeInputs() throws Exception {
        assumeTrue(
                !PYTHON.isEmpty() && python(Path.of(""), "import pyspark, pyarrow") == 0,
                "this machine lacks a Python with the packages pyspark and pyarrow; name one with -Dsluice.it.python");
        try (Stream<Path> built = Files.list(Path.of("..", "importer-spark", "target"))) {
            jar = built.filter(file -> file.toString().endsWith("-all.jar"))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("there is no jar: run mvn package -pl importer-spark -am"))
                    .toRealPath();
        }
        large = input(10);
        small = input(2);
        objects = new ObjectStore(Files.createDirectory(shared.resolve("objects")));
        objects.createBucket(BUCKET);
        objects.useCredentials();
    }

    @AfterAll
    static void stop() {
        if (objects != null) {
            objects.forgetCredentials();
            objects.close();
        }
    }

    @AfterEach
    void stopNodes() {
        nodes.forEach(NodeProcess::close);
    }

    private static int python(Path directory, String script) throws Exception {
        Process python = new ProcessBuilder(PYTHON, "-c", script)
                .directory(directory.toAbsolutePath().toFile())
                .redirectErrorStream(true)
                .redirectOutput(shared.resolve("python.log").toFile())
                .start();
        return exitCode(python);
    }

    private static Input input(int warehouses) throws Exception {
        Path directory = Files.createDirectory(shared.resolve("warehouses-" + warehouses));
        String schema = directory.resolve("stock.sql").toString();
        succeeded(SluiceProcess.call(
                "workload",
                "tpcc",
                "stock",
                "--warehouses",
                Integer.toString(warehouses),
                "--shuffle",
                "--seed",
                Long.toString(SEED),
                "--schema",
                schema,
                "-o",
                directory.resolve("rows.csv").toString()));
        assertEquals(0, python(directory, CONVERTER), Files.readString(shared.resolve("python.log")));
        Result imported = succeeded(SluiceProcess.call(
                "import",
                "--schema",
                schema,
                "--store",
                directory.resolve("store").toString(),
                "--memory",
                "64m",
                "--json",
                directory.resolve("csv").toString()));
        assertEquals(
                100_000L * warehouses, imported.report().get("rowsImported").asLong());
        return new Input(directory, imported.report().get("digest").asText());
    }

    static List<Arguments> jobs() {
        return Arrays.stream(Target.values())
                .flatMap(target -> Arrays.stream(Program.values()).map(program -> Arguments.of(program, target)))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("jobs")
    void tableIsThatOfAnImport(Program program, Target target) throws Exception {
        Job job = job(program, target, large);
        succeeded(THREADS, job);
        assertTable(job, Set.of());
    }

    /** The second submission loses an executor. */
    @ParameterizedTest
    @MethodSource("jobs")
    void killedDriverIsSubmittedAgain(Program program, Target target) throws Exception {
        for (int millis = WRITE_MILLIS; ; millis /= 2) {
            assertTrue(millis > 0, "each kill came too late");
            Job job = job(program, target, small);
            Process driver = submit(EXECUTORS, job);
            if (!worksAfter(RANDOM.nextInt(millis), driver, () -> names(job).contains("LOCK"))) {
                assertEquals(0, exitCode(driver), this::log);
                continue;
            }
            killAll(driver);
            // They stay where the driver ended between the manifest and their removal, and only there.
            Set<String> remains = names(job).contains("manifest.json") ? Set.of("LOCK", "work") : Set.of();
            Process again = submit(EXECUTORS, job);
            if (remains.isEmpty() && worksAfter(RANDOM.nextInt(millis), again, () -> log().contains("Starting task"))) {
                List<ProcessHandle> executors = again.descendants()
                        .filter(each -> each.info().command().orElse("").endsWith("/java"))
                        .toList();
                if (!executors.isEmpty()) {
                    kill(executors.get(RANDOM.nextInt(executors.size())));
                }
            }
            if (exitCode(again) != 0) {
                succeeded(EXECUTORS, job);
            }
            assertTable(job, remains);
            return;
        }
    }

    @ParameterizedTest
    @EnumSource
    void nodeKilledDuringTheHandOverChangesNothing(Program program) throws Exception {
        for (int millis = HAND_OVER_MILLIS; ; millis /= 2) {
            assertTrue(millis > 0, "each kill came too late");
            Job job = job(program, Target.NODES, small);
            Process driver = submit(THREADS, job);
            if (!worksAfter(RANDOM.nextInt(millis), driver, () -> names(job).contains("manifest.json"))) {
                assertEquals(0, exitCode(driver), this::log);
                continue;
            }
            int node = RANDOM.nextInt(NODES);
            nodes.get(node).kill();
            nodes.set(node, nodes.get(node).startAgain());
            if (exitCode(driver) != 0) {
                succeeded(THREADS, job);
            }
            assertTable(job, Set.of());
            return;
        }
    }

    /** A job with a new output and, if it needs some, new nodes. */
    private Job job(Program program, Target target, Input input) throws Exception {
        String name = "set-" + submissions;
        if (target == Target.NODES) {
            nodes.forEach(NodeProcess::close);
            nodes.clear();
            for (int i = 0; i < NODES; i++) {
                nodes.add(NodeProcess.start(directory.resolve(name + "-node-" + i)));
            }
        }
        String output = target == Target.OBJECTS
                ? "s3://" + BUCKET + "/" + directory.getFileName() + "/" + name
                : directory.resolve(name).toString();
        return new Job(program, target, input, output);
    }

    private void succeeded(String master, Job job) throws Exception {
        assertEquals(0, exitCode(submit(master, job)), this::log);
    }

    private Process submit(String master, Job job) throws Exception {
        submissions++;
        Path temporary = Files.createDirectory(directory.resolve("temporary-" + submissions));
        String credentials = String.join(" ", ObjectStore.credentials());
        List<String> command = new ArrayList<>(List.of(
                Path.of(PYTHON).resolveSibling("spark-submit").toString(),
                "--master",
                master,
                "--conf",
                "spark.ui.enabled=false",
                "--conf",
                "spark.local.dir=" + temporary,
                "--conf",
                "spark.executor.extraJavaOptions=" + credentials,
                "--driver-java-options",
                credentials + " -Djava.io.tmpdir=" + temporary));
        Map<String, String> options = new TreeMap<>(Map.of("output", job.output));
        if (job.target == Target.OBJECTS) {
            options.putAll(Map.of("s3-endpoint", objects.url(), "s3-path-style", "true"));
        }
        if (job.target == Target.NODES) {
            options.put("nodes", addresses());
        }
        if (job.program == Program.DATA_FRAME) {
            command.addAll(List.of("--jars", jar.toString(), script(options).toString()));
        } else {
            command.addAll(List.of(jar.toString(), "--schema", "stock.sql"));
            options.forEach((name, value) -> command.add("--" + name + "=" + value));
            command.add("csv");
        }
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(job.input.directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(logFile().toFile());
        builder.environment().remove("SPARK_HOME");
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().put("PYSPARK_PYTHON", PYTHON);
        builder.environment().put("SPARK_LOCAL_IP", "127.0.0.1");
        return builder.start();
    }

    /** The script of the guide, with other options. */
    private Path script(Map<String, String> options) throws IOException {
        String guide = Files.readString(Path.of("..", "docs", "how-to", "spark.md"));
        String begin = "```python\n";
        int start = guide.indexOf(begin) + begin.length();
        String output = ".option(\"output\", \"/shared/stock.set\")";
        String script = guide.substring(start, guide.indexOf("```", start));
        assertTrue(script.contains(output) && script.contains(".mode(\"errorifexists\")"), script);
        String given = options.entrySet().stream()
                .map(option -> ".option(\"" + option.getKey() + "\", \"" + option.getValue() + "\")")
                .collect(Collectors.joining());
        return Files.writeString(
                directory.resolve("stock.py"), script.replace(output, given).replace("errorifexists", "ignore"));
    }

    private String addresses() {
        return nodes.stream().map(NodeProcess::address).collect(Collectors.joining(","));
    }

    private Path logFile() {
        return directory.resolve(submissions + ".log");
    }

    /** Log of the last submission until now. */
    private String log() {
        try {
            return "seed " + SEED + ": " + Files.readString(logFile(), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int exitCode(Process driver) throws InterruptedException {
        boolean ended = driver.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
        killAll(driver);
        assertTrue(ended, "a process took more than " + PATIENCE_SECONDS + " s");
        return driver.waitFor();
    }

    /** Waits until a job has begun something, and then so long; returns whether the job goes on. */
    private static boolean worksAfter(int millis, Process driver, BooleanSupplier begun) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (driver.isAlive() && !begun.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                killAll(driver);
                throw new AssertionError("a job has begun nothing in " + PATIENCE_SECONDS + " s");
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
        boolean works = !driver.waitFor(millis, TimeUnit.MILLISECONDS);
        System.out.println(works ? "killing after " + millis + " ms" : "nothing to kill after " + millis + " ms");
        return works;
    }

    private static void killAll(Process driver) throws InterruptedException {
        List<ProcessHandle> all = Stream.concat(Stream.of(driver.toHandle()), driver.descendants())
                .toList();
        for (ProcessHandle each : all) {
            kill(each);
        }
    }

    private static void kill(ProcessHandle process) {
        process.destroyForcibly();
        ProcessHandle unused = process.onExit().join();
    }

    /** Names of the files or objects at the output. */
    private Set<String> names(Job job) {
        if (job.target == Target.OBJECTS) {
            return new TreeSet<>(objects.names(BUCKET, prefix(job)));
        }
        String[] names = new File(job.output).list();
        return names == null ? Set.of() : new TreeSet<>(Arrays.asList(names));
    }

    private static String prefix(Job job) {
        return job.output.substring(("s3://" + BUCKET + "/").length());
    }

    /** Checks that the target has one table, with all rows, and nothing else but perhaps some remains. */
    private void assertTable(Job job, Set<String> remains) throws Exception {
        Path manifest = job.target == Target.OBJECTS
                ? objects.file(BUCKET, prefix(job) + "/manifest.json")
                : Path.of(job.output, "manifest.json");
        String named = Files.readString(manifest);
        Set<String> left = new TreeSet<>(names(job));
        left.removeAll(remains);
        left.removeIf(name -> name.equals("manifest.json") || named.contains("\"" + name + "\""));
        assertEquals(Set.of(), left, "seed " + SEED);
        String[] place = {"--nodes", addresses()};
        if (job.target == Target.NODES) {
            for (NodeProcess node : nodes) {
                assertEquals(List.of(), Imports.leftBehind(node.store()), "seed " + SEED);
            }
        } else {
            place = new String[] {"--store", directory.resolve("store").toString()};
            List<String> ingest =
                    new ArrayList<>(List.of("ingest", job.output, place[0], place[1], "--verify", "full"));
            ingest.addAll(job.target == Target.OBJECTS ? objects.options() : List.of());
            succeeded(SluiceProcess.call(ingest.toArray(new String[0])));
        }
        assertEquals(
                1,
                succeeded(SluiceProcess.call("tables", place[0], place[1], "--json"))
                        .out()
                        .lines()
                        .count());
        Result digest = succeeded(SluiceProcess.call("digest", "stock", place[0], place[1], "--json"));
        assertEquals(job.input.digest, digest.report().get("digest").asText(), "seed " + SEED);
    }

    private static Result succeeded(Result result) {
        assertEquals(0, result.exitCode(), "seed " + SEED + ": " + result);
        return result;
    }
}
