package io.sluice.it.project;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.support.QuickStart;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script {@code ./sluice} itself, on jars that are built already. */
class LauncherIT {
    private static final long PATIENCE_SECONDS = 120;
    /** From JDK 25 on there is an ahead-of-time cache in place of an archive of classes. */
    private static final String ARCHIVE =
            "importer-cli/target/dist/" + (Runtime.version().feature() < 25 ? "classes.jsa" : "store.aot");

    /** An agent reads the bytes of classes, also of archived ones; JDK 17 crashes when it does not find them. */
    @Test
    void importUnderAFlightRecordingUsesTheClassArchive(@TempDir Path root) throws Exception {
        QuickStart.install(root);
        Path store = root.resolve("store");
        String[] load = {"import", "--store", store.toString(), "--schema", "samples/shop.sql", "samples/orders.csv"};
        String printed = run(root, "-XX:StartFlightRecording=filename=" + root.resolve("import.jfr"), load);
        assertTrue(printed.contains("imported"), printed);
        assertTrue(Files.size(root.resolve(ARCHIVE)) > 0, "there is no class archive");
        assertTrue(Files.size(root.resolve("import.jfr")) > 0, "there is no recording");
        String tables = run(root, "-Xlog:class+load:stderr", "tables", "--store", store.toString());
        assertTrue(tables.contains("io.sluice.cli.Sluice source: shared objects file"), tables);
    }

    private static String run(Path root, String options, String... arguments) throws Exception {
        Path out = root.resolve("out");
        ProcessBuilder launcher = new ProcessBuilder("./sluice")
                .directory(root.toFile())
                .redirectErrorStream(true)
                .redirectOutput(out.toFile());
        launcher.command().addAll(List.of(arguments));
        launcher.environment().put("SLUICE_JAVA_OPTS", options);
        launcher.environment().put("TMPDIR", root.toString());
        Process process = launcher.start();
        process.getOutputStream().close();
        assertTrue(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS), "the launcher does not end");
        String printed = Files.readString(out);
        assertEquals(0, process.exitValue(), printed);
        return printed;
    }
}
