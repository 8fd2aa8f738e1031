package io.sluice.it.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.it.support.QuickStart;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The tests of the Python client, with a service of this build; one of them runs the example of its document. */
class PythonClientIT {
    private static final long PATIENCE_SECONDS = 120;
    private static final String VERSION = "import sys; sys.exit(sys.version_info < (3, 9))";

    @Test
    void testsOfTheClientPass(@TempDir Path directory) throws Exception {
        assumeTrue(python(directory, "-c", VERSION) == 0, "this machine lacks python3 of version 3.9 or later");
        QuickStart.launcher(directory);
        int exitCode = python(directory, "-m", "unittest", "discover", "-s", "tests");
        String printed = Files.readString(directory.resolve("out"));
        assertEquals(0, exitCode, printed);
        // A directory without tests passes, too, in older versions.
        assertTrue(printed.matches("(?s).*Ran [1-9]\\d* tests.*"), printed);
    }

    /** Runs Python in the client's directory; returns its exit code, or -1 where there is no Python. */
    private static int python(Path directory, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("python3"));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(Path.of("..", "clients", "python").toFile())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("out").toFile());
        builder.environment().put("PYTHONPATH", "src");
        builder.environment().put("PYTHONDONTWRITEBYTECODE", "1");
        builder.environment().put("SLUICE_COMMAND", directory.resolve("sluice").toString());
        builder.environment().putAll(QuickStart.ENVIRONMENT);
        Process process;
        try {
            process = builder.start();
        } catch (IOException e) {
            return -1;
        }
        process.getOutputStream().close();
        if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
            throw new AssertionError("Python does not end: " + Files.readString(directory.resolve("out")));
        }
        return process.exitValue();
    }
}
