package io.sluice.it.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.TreeNode;
import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.it.support.RunningService;
import io.sluice.rest.ServiceException;
import io.sluice.rest.SluiceClient;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Java client on a running service. */
class JavaClientTest {
    private static final String SCHEMA = "CREATE TABLE item (id INT PRIMARY KEY, name STRING)";

    @Test
    void importsAreSubmittedWatchedAndRead(@TempDir Path directory) throws Exception {
        Path input = Files.writeString(directory.resolve("item.csv"), "1,pen\n2,\n3,ink\n");
        try (RunningService running = RunningService.start(directory, 1, 10)) {
            SluiceClient client = SluiceClient.of(URI.create(running.service().url()));
            String id = client.submit(SCHEMA, List.of(input.toString()), Map.of("jobId", "items"));
            assertEquals("items", id);
            List<String> states = new ArrayList<>();
            JsonNode job =
                    client.watch(id, each -> states.add(each.path("state").asText()));
            assertEquals("succeeded", job.path("state").asText(), job.toString());
            assertEquals("succeeded", states.get(states.size() - 1));
            assertEquals("succeeded", client.job(id).path("state").asText());

            assertEquals(List.of("item"), client.tables());
            assertEquals(3, client.table("item").path("rows").asInt());
            try (Stream<List<@Nullable String>> rows = client.rows("item", Map.of("limit", "2"))) {
                assertEquals(List.of(List.of("1", "pen"), Arrays.asList("2", null)), rows.toList());
            }
            assertEquals(List.of("3", "ink"), client.row("item", List.of("3")));
            assertNull(client.row("item", List.of("4")));

            SluiceClient.Result counted = client.sql("SELECT count(*) AS n, max(name) FROM item WHERE id > ?", "1");
            assertEquals(List.of("n", "max"), counted.columns());
            assertEquals(List.of(List.of("2", "ink")), counted.rows());
            assertEquals(1, client.sql("DELETE FROM item WHERE name = ?", "ink").count());
        }
    }

    /** The examples of docs/how-to/java.md: both compile, and the first one runs. */
    @Test
    void examplesOfTheDocumentRun(@TempDir Path directory) throws Exception {
        Path samples = Path.of("..", "samples");
        Path input = Files.copy(samples.resolve("orders.csv"), directory.resolve("orders.csv"));
        List<String> examples = Pattern.compile("(?s)```java\n(.*?)```")
                .matcher(Files.readString(Path.of("..", "docs", "how-to", "java.md")))
                .results()
                .map(block -> block.group(1))
                .toList();
        assertEquals(2, examples.size(), examples.toString());
        try (RunningService running = RunningService.start(directory, 1, 10)) {
            String url = running.service().url();
            String first =
                    examples.get(0).replace("http://127.0.0.1:8080", url).replace("/data/orders.csv", "" + input);
            assertTrue(first.contains(url) && first.contains("" + input), first);
            Path source = Files.writeString(directory.resolve("Example.java"), """
                    import com.fasterxml.jackson.databind.JsonNode;
                    import io.sluice.rest.SluiceClient;
                    import java.io.InputStream;
                    import java.net.URI;
                    import java.net.http.HttpClient;
                    import java.nio.file.*;
                    import java.security.KeyStore;
                    import java.security.cert.CertificateFactory;
                    import java.time.Duration;
                    import java.util.*;
                    import java.util.stream.Stream;
                    import javax.net.ssl.*;

                    public class Example {
                        public static void run(String schema) throws Exception {
                            %s
                        }

                        static void connect(String token) throws Exception {
                            %s
                        }
                    }
                    """.formatted(first, examples.get(1)));
            String libraries = Stream.of(SluiceClient.class, JsonNode.class, TreeNode.class)
                    .map(type -> type.getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .getPath())
                    .collect(Collectors.joining(File.pathSeparator));
            ByteArrayOutputStream messages = new ByteArrayOutputStream();
            int exitCode = ToolProvider.getSystemJavaCompiler()
                    .run(null, messages, messages, "-proc:none", "-cp", libraries, source.toString());
            assertEquals(0, exitCode, messages.toString(StandardCharsets.UTF_8));
            try (URLClassLoader compiled = new URLClassLoader(
                    new URL[] {directory.toUri().toURL()}, getClass().getClassLoader())) {
                Object unused = compiled.loadClass("Example")
                        .getMethod("run", String.class)
                        .invoke(null, Files.readString(samples.resolve("shop.sql")));
            }
            assertEquals(
                    400,
                    SluiceClient.of(URI.create(url))
                            .table("orders")
                            .path("rows")
                            .asInt());
        }
    }

    @Test
    void queriesAreStreamedAndImportsWithRejectsEnd(@TempDir Path directory) throws Exception {
        Path input = Files.writeString(directory.resolve("item.csv"), "1,pen\n2,\nx,ink\n");
        try (RunningService running = RunningService.start(directory, 1, 10)) {
            SluiceClient client = SluiceClient.of(URI.create(running.service().url()));
            String id = client.submit(SCHEMA, List.of(input.toString()), Map.of("maxRejects", "1"));
            assertEquals(
                    "succeeded_with_rejects",
                    client.watch(id, each -> {}).path("state").asText());
            try (Stream<List<@Nullable String>> rows = client.query("SELECT name, id FROM item WHERE id < ?", "9")) {
                assertEquals(List.of(List.of("pen", "1"), Arrays.asList(null, "2")), rows.toList());
            }
            try (Stream<List<@Nullable String>> rows = client.query("SELECT 1 / (id - 2) FROM item")) {
                ServiceException failed = assertThrows(ServiceException.class, rows::toList);
                assertEquals("bad_value", failed.code());
            }
        }
    }

    @Test
    void refusalsHaveACode(@TempDir Path directory) {
        try (RunningService running = RunningService.start(directory, 1, 10)) {
            SluiceClient client = SluiceClient.of(URI.create(running.service().url()));
            ServiceException unknown = assertThrows(ServiceException.class, () -> client.job("nobody"));
            assertEquals(404, unknown.status());
            ServiceException syntax = assertThrows(ServiceException.class, () -> client.sql("SELEC"));
            assertEquals("syntax", syntax.code());
            assertThrows(ServiceException.class, () -> client.submit("nonsense", List.of(), Map.of()));
            assertThrows(ServiceException.class, () -> client.row("nothing", List.of("1")));
        }
        SluiceClient nobody = SluiceClient.of(URI.create("http://127.0.0.1:1"));
        String message = String.valueOf(
                assertThrows(UncheckedIOException.class, nobody::tables).getMessage());
        assertTrue(message.startsWith("http://127.0.0.1:1/v1/tables"), message);
    }
}
