package io.sluice.it.project;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.it.support.Imports;
import io.sluice.it.support.ServiceClient;
import io.sluice.it.support.SluiceProcess;
import io.sluice.it.support.SluiceProcess.Result;
import io.sluice.it.support.Stock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The work of an operator: the systemd unit of the service, and the commands and steps of the how-tos. */
class OperatorIT {
    private static final Path UNIT = Path.of("..", "packaging", "systemd", "sluice-serve.service");
    private static final int ROWS = 60_000;

    /** Starts the unit's ExecStart, with the directory in place of /var/lib/sluice. */
    private static SluiceProcess start(Path directory, String options) throws Exception {
        List<String> unit = Files.readAllLines(UNIT);
        String command = unit.stream()
                .filter(line -> line.startsWith("ExecStart="))
                .findFirst()
                .orElseThrow();
        String[] words = command.replaceFirst("^ExecStart=/opt/sluice/bin/sluice ", "")
                .replace("${SLUICE_LISTEN}", "127.0.0.1:0")
                .replace("$SLUICE_OPTIONS", options)
                .split(" ", -1);
        assertTrue(unit.contains("RestartPreventExitStatus=2"), "the exit code of bad usage");
        assertTrue(unit.contains("Environment=SLUICE_STORE=/var/lib/sluice/service"), "the store");
        Path store = directory.resolve("service");
        return SluiceProcess.start(directory, Map.of("SLUICE_STORE", store.toString()), words);
    }

    /** A job that runs when the service is stopped goes on after the upgrade; the backup between both is whole. */
    @Test
    void serviceOfTheUnitIsStoppedBackedUpAndUpgraded(@TempDir Path directory) throws Exception {
        Path input = Stock.write(directory.resolve("stock.csv"), Stock.numbers(ROWS));
        String options = "--allow-root " + directory + " --memory 128m";
        SluiceProcess before = start(directory, options);
        ServiceClient client = new ServiceClient(before.url());
        client.create(ServiceClient.spec("done", Stock.SQL.replace("stock", "done"), input));
        assertEquals("succeeded", client.finished("done").path("state").asText());
        client.create(ServiceClient.spec("kept", Stock.SQL, input)
                .put("mode", "direct")
                .put("bytesPerSecond", Files.size(input) / 4));
        JsonNode running = client.await(
                "kept", "read", job -> job.at("/progress/bytesRead").asLong() > 0);
        assertEquals("running", running.path("state").asText());
        before.terminate();
        assertEquals(0, before.await().exitCode());

        Imports.copy(directory.resolve("service"), directory.resolve("backup"));
        SluiceProcess after = start(directory, options);
        ServiceClient again = new ServiceClient(after.url());
        JsonNode kept = again.finished("kept");
        assertEquals("succeeded", kept.path("state").asText(), kept.toString());
        assertEquals(ROWS, kept.at("/report/rowsImported").asInt());
        after.terminate();
        assertEquals(0, after.await().exitCode());
        Result restored = SluiceProcess.call(
                "digest", "done", "--store", directory.resolve("backup").toString());
        assertEquals(0, restored.exitCode(), restored.toString());
        assertTrue(restored.out().contains(ROWS + " rows"), restored.toString());
    }

    @Test
    void commandsOfBackupAndTroubleshootingSucceed(@TempDir Path directory) throws Exception {
        String printed = TourIT.run(
                directory,
                block("docs/how-to/backup.md", "./sluice import")
                        + block("docs/how-to/troubleshooting.md", "./sluice --version"));
        List<String> digests =
                printed.lines().filter(line -> line.contains(" rows, digest ")).toList();
        assertEquals(4, digests.size(), printed);
        assertEquals(1, digests.stream().distinct().count(), printed);
    }

    /** The indented lines of a document that begin with a command. */
    private static String block(String document, String first) throws Exception {
        List<String> lines = Files.readString(Path.of("..", document))
                .lines()
                .dropWhile(line -> !line.startsWith("    " + first))
                .takeWhile(line -> line.startsWith("    "))
                .map(String::strip)
                .toList();
        assertFalse(lines.isEmpty(), document);
        return String.join("\n", lines) + "\n";
    }

    @Test
    void badOptionsEndWithTheCodeThatIsNotTriedAgain(@TempDir Path directory) throws Exception {
        Result refused =
                start(directory, "--allow-root " + directory.resolve("missing")).await();
        assertEquals(2, refused.exitCode(), refused.toString());
    }
}
