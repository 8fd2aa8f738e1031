package io.sluice.it.project;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.it.support.QuickStart;
import io.sluice.it.support.Seeds;
import io.sluice.testing.SomeTests;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs the script {@code ./sluice} itself on jars that are built already. It makes and uses an archive of classes.
 * Without a UTF-8 locale, it stores and prints the bytes that are given, or refuses them.
 */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
@SomeTests(2)
class LauncherIT {
    private static final long PATIENCE_SECONDS = 120;
    private static final String TEXT = "é日本😀";
    private static final String LATIN_1 = "$'caf\\xe9'";
    /** From JDK 25 on there is an ahead-of-time cache in place of an archive of classes. */
    private static final String ARCHIVE =
            "importer-cli/target/dist/" + (Runtime.version().feature() < 25 ? "classes.jsa" : "store.aot");

    /** The launcher's tree: one for all tests, whose first use makes the archive of classes in many seconds. */
    @TempDir
    static Path tree;

    @TempDir
    Path directory;

    @SuppressWarnings("ArrayRecordComponent") // the bytes themselves are compared, never two results
    private record Result(int exitCode, byte[] out, String err) {
        String text() {
            return new String(out, StandardCharsets.UTF_8);
        }
    }

    @BeforeAll
    static void install() throws IOException {
        assumeTrue(File.separatorChar == '/', "this machine lacks bash, which runs the launcher");
        QuickStart.install(tree);
    }

    @BeforeEach
    void writeSchema() throws IOException {
        Files.writeString(directory.resolve("t.sql"), "CREATE TABLE t (s STRING PRIMARY KEY, v STRING, \"é\" STRING)");
    }

    /** An agent reads the bytes of classes, also of archived ones; JDK 17 crashes when it does not find them. */
    @Test
    void importUnderAFlightRecordingUsesTheClassArchive() throws Exception {
        Path store = directory.resolve("store");
        Path recording = directory.resolve("import.jfr");
        String[] load = {"import", "--store", store.toString(), "--schema", "samples/shop.sql", "samples/orders.csv"};
        String printed = inTree("-XX:StartFlightRecording=filename=" + recording, load);
        assertTrue(printed.contains("imported"), printed);
        assertTrue(Files.size(tree.resolve(ARCHIVE)) > 0, "there is no class archive");
        assertTrue(Files.size(recording) > 0, "there is no recording");
        String tables = inTree("-Xlog:class+load:stderr", "tables", "--store", store.toString());
        assertTrue(tables.contains("io.sluice.cli.Sluice source: shared objects file"), tables);
    }

    /** Libraries of all platforms would take 100 MB more. */
    @Test
    void jarsHaveNativeLibrariesOfThisPlatformOnly() throws IOException {
        assumeTrue(
                System.getProperty("os.name").equals("Linux")
                        && System.getProperty("os.arch").equals("amd64"),
                "this machine lacks the platform whose names the test knows, Linux on x86-64");
        List<String> foreign = new ArrayList<>();
        try (DirectoryStream<Path> jars = Files.newDirectoryStream(tree.resolve("importer-cli/target/dist/lib"))) {
            for (Path jar : jars) {
                try (ZipFile entries = new ZipFile(jar.toFile())) {
                    entries.stream()
                            .map(ZipEntry::getName)
                            .filter(name -> name.matches(".*\\.(?:so|dll|jnilib|dylib)"))
                            .filter(name -> name.matches("(?i).*(?:windows|osx|mac|darwin|bsd|aarch|arm|ppc|/x86/).*"))
                            .forEach(name -> foreign.add(jar.getFileName() + ": " + name));
                }
            }
        }
        assertEquals(List.of(), foreign);
    }

    @Test
    void moreMemoryThanTheMachineHasIsRefused() throws Exception {
        Result refused = sluice("SLUICE_JAVA_OPTS=", "import --schema t.sql --store store --memory 100t in.csv");
        assertEquals(2, refused.exitCode(), refused.err());
        assertTrue(refused.err().contains("sluice: --memory 100t: this machine has "), refused.err());
    }

    /** Runs the launcher in its tree and in this environment; returns what it prints on both streams. */
    private String inTree(String options, String... arguments) throws Exception {
        Path out = directory.resolve("out");
        ProcessBuilder launcher = new ProcessBuilder("./sluice")
                .directory(tree.toFile())
                .redirectErrorStream(true)
                .redirectOutput(out.toFile());
        launcher.command().addAll(List.of(arguments));
        launcher.environment().put("SLUICE_JAVA_OPTS", options);
        launcher.environment().put("TMPDIR", directory.toString());
        Process process = launcher.start();
        process.getOutputStream().close();
        assertTrue(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS), "the launcher does not end");
        String printed = Files.readString(out);
        assertEquals(0, process.exitValue(), printed);
        return printed;
    }

    /** Runs a line of bash, whose bytes no JVM has decoded, in exactly the given environment. */
    private Result run(String environment, String line) throws IOException, InterruptedException {
        Path script = Files.writeString(
                directory.resolve("line.sh"),
                "cd '" + directory + "' && exec env -i JAVA_HOME='" + System.getProperty("java.home")
                        + "' SLUICE_JAVA_OPTS='-Xmx256m -XX:TieredStopAtLevel=1 -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote' "
                        + environment + " " + line + "\n");
        Path out = directory.resolve("line.out");
        Path err = directory.resolve("line.err");
        Process process = new ProcessBuilder("bash", script.toString())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        process.getOutputStream().close();
        assertTrue(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS), "it does not end: " + line);
        return new Result(process.exitValue(), Files.readAllBytes(out), Files.readString(err));
    }

    private Result sluice(String environment, String arguments) throws IOException, InterruptedException {
        return run(environment, "bash '" + tree.resolve("sluice") + "' " + arguments);
    }

    private static void assertText(String expected, Result result) {
        assertEquals(0, result.exitCode(), result.err());
        assertArrayEquals(
                expected.getBytes(StandardCharsets.UTF_8), result.out(), "printed " + result.text() + result.err());
    }

    /** No locale, or another one, by the seed: profile {@code long} takes all. */
    static Stream<String> environments() {
        List<String> all = Arrays.asList("", "LANG=C", "LC_ALL=POSIX", "LC_ALL=en_US.ISO-8859-1");
        Collections.shuffle(all, new Random(Seeds.of(LauncherIT.class)));
        return all.stream().limit(Integer.getInteger("sluice.it.locales", 1));
    }

    @ParameterizedTest
    @MethodSource("environments")
    void argumentsAreStoredAndPrintedAsTheyAre(String environment) throws Exception {
        String imported = "imported,x," + TEXT + "\n" + TEXT + "2,é,x\n";
        Files.writeString(directory.resolve("in.csv"), imported);
        // A name beyond ASCII that only the script's own bytes can say.
        Result copied = run(environment, "cp in.csv 'é.csv'");
        assertEquals(0, copied.exitCode(), copied.err());
        Result made = sluice(
                environment,
                "import --schema t.sql --store 'störe' --quiet --columns 's,v,é' --nullif 'é' --delimiter , 'é.csv'");
        assertEquals(0, made.exitCode(), made.err());
        Result inserted = sluice(
                environment,
                "sql --store 'störe' -e \"INSERT INTO t VALUES (?, '" + TEXT + "', 'é')\" -p 'key" + TEXT + "'");
        assertEquals(0, inserted.exitCode(), inserted.err());
        assertText(
                "key" + TEXT + "," + TEXT + ",é\n",
                sluice(environment, "get t 'key" + TEXT + "' --store 'störe' --format csv"));
        assertText(
                "imported,x," + TEXT + "\nkey" + TEXT + "," + TEXT + ",é\n" + TEXT + "2,,x\n",
                sluice(environment, "scan t --store 'störe' --format csv"));

        Result refused = sluice(environment, "sql --store 'störe' -e \"INSERT INTO t (s) VALUES (?)\" -p " + LATIN_1);
        assertEquals(2, refused.exitCode(), refused.err());
        assertTrue(refused.err().contains("argument 7 is not UTF-8 text"), refused.err());
    }

    @Test
    void standardInputIsUtf8OrRefused() throws Exception {
        Files.writeString(directory.resolve("in.csv"), TEXT + ",x,y\n");
        Result made = sluice("", "import --schema t.sql --store store --quiet in.csv");
        assertEquals(0, made.exitCode(), made.err());
        Result found = run(
                "LC_ALL=POSIX",
                "bash -c \"echo \\\"SELECT s FROM t WHERE s = '" + TEXT + "'\\\" | bash " + tree
                        + "/sluice sql --store store\"");
        assertText("s\n" + TEXT + "\n", found);
        Result script = run(
                "LC_ALL=POSIX",
                "bash -c $'printf \"INSERT INTO t (s) VALUES (\\'caf\\\\xe9\\')\" | bash " + tree
                        + "/sluice sql --store store'");
        assertEquals(2, script.exitCode(), script.err());
        assertTrue(script.err().contains("is not UTF-8 text"), script.err());
    }

    /** Without the launcher the locale is unchanged. */
    @Test
    void withoutTheLauncherLossyArgumentsAreRefused() throws Exception {
        String java = "'" + System.getProperty("java.home") + "/bin/java' -XX:TieredStopAtLevel=1 -cp '" + tree
                + "/importer-cli/target/dist/lib/*' io.sluice.cli.Sluice sql --store store -e ";
        Result refused = run("LC_ALL=POSIX", java + "\"SELECT 'é'\"");
        // Some JVMs are in UTF-8 whatever the locale is; there the statement itself is at fault.
        assertEquals(2, refused.exitCode(), refused.err());
        boolean utf8 = !refused.err().contains("argument 5 has characters beyond ASCII");
        assertTrue(!utf8 || refused.err().contains("store"), refused.err());
        Result asked = run("LC_ALL=POSIX", java + "'SELECT * FROM t WHERE s = ?' -p 1");
        assertTrue(asked.err().contains("store"), asked.err());
        ByteArrayOutputStream none = new ByteArrayOutputStream();
        assertArrayEquals(none.toByteArray(), asked.out());
    }
}
