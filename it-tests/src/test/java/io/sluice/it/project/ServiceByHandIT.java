package io.sluice.it.project;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.support.ServiceClient;
import io.sluice.it.support.SluiceProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The five commands of docs/how-to/service.md lead to a job, and to the console. */
class ServiceByHandIT {
    private static final Pattern BLOCK =
            Pattern.compile("(\\./sluice serve .*?&)\n(.*?)xdg-open (http:[^\n]*)\n", Pattern.DOTALL);
    private static final long PATIENCE_SECONDS = 120;

    @Test
    void commandsOfTheDocumentRun(@TempDir Path directory) throws Exception {
        Path root = Path.of("..").toRealPath();
        Matcher block = BLOCK.matcher(Files.readString(root.resolve("docs/how-to/service.md")));
        assertTrue(block.find());
        String typed = block.group(2);
        SluiceProcess service = SluiceProcess.serve(directory, "127.0.0.1:0", root.resolve("samples"));
        String url = service.url();
        try {
            Path out = directory.resolve("by-hand.out");
            Process shell = new ProcessBuilder("sh", "-euc", typed.replace("http://127.0.0.1:8080", url))
                    .directory(root.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(out.toFile())
                    .start();
            assertTrue(shell.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS), "the commands do not end");
            assertEquals(0, shell.exitValue(), Files.readString(out));
            ServiceClient client = new ServiceClient(url);
            assertEquals("succeeded", client.finished("first").path("state").asText());
        } finally {
            service.terminate();
        }
        assertEquals(0, service.await().exitCode());
    }
}
