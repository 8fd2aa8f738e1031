package io.sluice.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.importer.job.staged.SetPlace;
import io.sluice.importer.job.staged.StagedSet;
import io.sluice.testing.ObjectStore;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the packaged jar in a process that has Spark's classes and no others: Spark's Jackson and Hadoop, no RocksDB,
 * and none of Sluice's build. {@code -Dsluice.spark.classpath=FILE} names the class path of another version of Spark.
 */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class PackagedJarIT {
    private static final long SECONDS = 120;
    private static final List<String> NOT_OF_SPARK =
            List.of("armeria", "amazon", "micrometer", "jclouds", "s3proxy", "ratis", "hash4j");

    @TempDir
    Path directory;

    @Test
    void packagedJarWorksInSpark() throws Exception {
        String jar = System.getProperty("sluice.spark.jar");
        String classPath = classPathOfSpark();
        // Only the class of the test below goes beside the jar.
        Path classes = Files.createDirectories(directory.resolve("classes/io/sluice/spark"));
        String name = Main.class.getName();
        try (var in = PackagedJarIT.class.getResourceAsStream(name.substring(name.lastIndexOf('.') + 1) + ".class")) {
            Files.copy(
                    Objects.requireNonNull(in), classes.resolve(name.substring(name.lastIndexOf('.') + 1) + ".class"));
        }
        Path set = directory.resolve("set");
        List<String> command =
                new ArrayList<>(List.of(ProcessHandle.current().info().command().orElse("java")));
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(option -> option.startsWith("--add-opens"))
                .forEach(command::add);
        command.addAll(ObjectStore.credentials());
        command.addAll(List.of(
                "-Xmx512m",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                jar + File.pathSeparator + directory.resolve("classes") + File.pathSeparator + classPath,
                name,
                set.toString()));
        Path log = directory.resolve("log");
        try (ObjectStore objects = new ObjectStore(Files.createDirectory(directory.resolve("objects")));
                TestNode a = TestNode.start(directory.resolve("a"));
                TestNode b = TestNode.start(directory.resolve("b"))) {
            objects.createBucket("sets");
            command.add(objects.url());
            command.add(a.url() + "," + b.url());
            command.add(Files.writeString(
                            directory.resolve("schema.sql"), "CREATE TABLE f (id INT8 PRIMARY KEY, name STRING)")
                    .toString());
            // A dialect that is read by commons-csv, which Spark does not bring.
            command.add(Files.writeString(directory.resolve("rows.csv"), "1::'it\\'s'\n2::b\n")
                    .toString());
            command.add(directory.resolve("files").toString());
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            try {
                process.waitFor(SECONDS, TimeUnit.SECONDS);
            } finally {
                process.destroyForcibly();
            }
            assertEquals(0, process.waitFor(), () -> tail(log));
            Path stored = Files.createDirectory(directory.resolve("copy"));
            for (String file : objects.names("sets", "jar")) {
                Files.copy(objects.file("sets", "jar/" + file), stored.resolve(file));
            }
            checkSet(stored);
            assertEquals(1000, a.rows("t") + b.rows("t"));
        }
        String version = classPath.replaceFirst("(?s).*spark-sql_2\\.13-([0-9.]+)\\.jar.*", "$1");
        assertTrue(Files.readString(log).contains("this is Spark " + version), () -> tail(log));
        checkSet(set);
        StagedSet ofFiles = StagedSet.open(SetPlace.of(directory.resolve("files")));
        assertEquals(List.of(), ofFiles.problems(1));
        assertEquals(2, ofFiles.manifest().sums().get(0).sum().count());
        try (JarFile packaged = new JarFile(jar)) {
            assertEquals(
                    "io.sluice.spark.SluiceSubmit",
                    packaged.getManifest().getMainAttributes().getValue("Main-Class"));
            assertFalse(packaged.stream().anyMatch(entry -> entry.getName().contains("armeria/server/docs/main")));
        }
    }

    private static void checkSet(Path set) {
        StagedSet written = StagedSet.open(SetPlace.of(set));
        assertEquals(List.of(), written.problems(1));
        assertEquals(1000, written.manifest().sums().get(0).sum().count());
    }

    private static String classPathOfSpark() throws IOException {
        String file = System.getProperty("sluice.spark.classpath", "");
        if (!file.isEmpty()) {
            return Files.readString(Path.of(file)).strip();
        }
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(path -> path.endsWith(".jar"))
                .filter(path ->
                        !path.contains("rocksdbjni") && !path.replace('\\', '/').contains("/io/sluice/"))
                .filter(path -> !path.replace('\\', '/').contains("/target/"))
                .filter(path -> NOT_OF_SPARK.stream().noneMatch(path::contains))
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static String tail(Path log) {
        try {
            List<String> lines = Files.readAllLines(log);
            return String.join("\n", lines.subList(Math.max(0, lines.size() - 60), lines.size()));
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** The program of the other process. */
    static final class Main {
        private Main() {}

        public static void main(String[] args) throws IOException {
            try (SparkSession spark = SparkSession.builder()
                    .master("local[2]")
                    .config("spark.ui.enabled", false)
                    .config("spark.driver.bindAddress", "127.0.0.1")
                    .config("spark.driver.host", "127.0.0.1")
                    .getOrCreate()) {
                System.out.println("this is Spark " + spark.version());
                Dataset<Row> rows = spark.range(1000).selectExpr("id", "concat('name ', id) AS name");
                rows.write().parquet(args[0] + ".parquet");
                for (String output : new String[] {args[0], "s3://sets/jar"}) {
                    (output.equals(args[0]) ? rows : spark.read().parquet(args[0] + ".parquet"))
                            .write()
                            .format("sluice")
                            .option("schema", "CREATE TABLE t (id INT8 PRIMARY KEY, name STRING, INDEX (name))")
                            .option("output", output)
                            .option("s3-endpoint", args[1])
                            .option("s3-path-style", true)
                            .save();
                }
                // The set is there, and goes to the nodes once.
                for (int i = 0; i < 2; i++) {
                    spark.emptyDataFrame()
                            .write()
                            .format("sluice")
                            .mode("ignore")
                            .option("schema", "CREATE TABLE t (id INT8 PRIMARY KEY, name STRING, INDEX (name))")
                            .option("output", "s3://sets/jar")
                            .option("s3-endpoint", args[1])
                            .option("s3-path-style", true)
                            .option("nodes", args[2])
                            .save();
                }
                int code = SluiceSubmit.run(
                        "--schema",
                        args[3],
                        "--delimiter",
                        "::",
                        "--quote",
                        "'",
                        "--escape",
                        "\\",
                        "--output",
                        args[5],
                        args[4]);
                if (code != 0) {
                    throw new IllegalStateException("sluice-submit ended with " + code);
                }
            }
        }
    }
}
