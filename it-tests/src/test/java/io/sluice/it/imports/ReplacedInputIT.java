package io.sluice.it.imports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.sluice.importer.job.ImportEvents;
import io.sluice.it.support.HaltingSluice;
import io.sluice.it.support.ServiceClient;
import io.sluice.it.support.SluiceProcess;
import io.sluice.it.support.SluiceProcess.Result;
import io.sluice.it.support.Stock;
import io.sluice.testing.ObjectStore;
import io.sluice.testing.SomeTests;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Replaces an input during its import or a pause: the import is refused with the input's name, or starts from the
 * beginning; no table has rows of two versions. Both versions have the same length, first 64 KiB and keys, so that no
 * count and no key tells them apart.
 */
@SuppressWarnings("NullAway.Init") // the set-up sets the fields
@SomeTests(3)
class ReplacedInputIT {
    private static final int ROWS = 50_000;
    /** Notes are made after 16 MiB. */
    private static final int ROWS_WITH_NOTES = 180_000;

    private static final int SAME_BYTES = 64 << 10;
    private static final long BYTES_PER_SECOND = 3_000_000;
    private static final long READ_BYTES = 2_000_000;

    @TempDir
    static Path directory;

    private static byte[] first;
    private static byte[] second;
    private static SluiceProcess service;
    private static ServiceClient client;
    private static Objects objects;
    private static int jobs;
    private static final List<String> PUBLISHED = new ArrayList<>();

    private String id;

    /** Version headers of the server's one file. */
    enum Says {
        ETAG,
        DATE,
        NOTHING
    }

    /** Ways to change a file. */
    enum Change {
        APPENDED,
        OVERWRITTEN,
        RENAMED_OVER
    }

    @BeforeAll
    static void start() throws Exception {
        first = text(ROWS);
        second = otherVersion(first);
        objects = new Objects(first);
        service = SluiceProcess.serve(
                directory, "127.0.0.1:0", directory, "--allow-root", objects.url(), "--memory", "128m", "--jobs", "1");
        client = new ServiceClient(service.url());
    }

    @BeforeEach
    void name() {
        id = "job-" + ++jobs;
        objects.reset(first);
    }

    /** A refused import leaves no table. */
    @AfterAll
    static void stop() throws Exception {
        service.terminate();
        service.await();
        objects.close();
        Result tables = SluiceProcess.call(
                "tables", "--store", directory.resolve("store").toString());
        for (int job = 1; job <= jobs; job++) {
            assertEquals(PUBLISHED.contains("job-" + job), tables.out().contains("t_" + job + " "), tables.toString());
        }
    }

    private static byte[] text(int rows) {
        StringBuilder text = new StringBuilder();
        for (int n : Stock.shuffled(rows, 5)) {
            text.append(Stock.line(n)).append('\n');
        }
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] otherVersion(byte[] version) {
        String text = new String(version, StandardCharsets.US_ASCII);
        return (text.substring(0, SAME_BYTES) + text.substring(SAME_BYTES).replace("a note that", "A NOTE THAT"))
                .getBytes(StandardCharsets.US_ASCII);
    }

    private ObjectNode spec(String mode, String input) {
        ObjectNode spec = ServiceClient.JSON
                .createObjectNode()
                .put("jobId", id)
                .put("schema", Stock.SQL.replace("stock", "t_" + jobs));
        spec.withArray("inputs").add(input);
        return spec.put("mode", mode).put("bytesPerSecond", BYTES_PER_SECOND);
    }

    private void createAndAwaitHalf(String mode, String input) {
        client.create(spec(mode, input));
        client.await(id, "half read", job -> job.at("/progress/bytesRead").asLong() > READ_BYTES);
    }

    private void pauseAndAwait() {
        assertEquals(202, client.act(id, "pause"));
        client.await(id, "paused");
    }

    private JsonNode resumed() {
        assertEquals(202, client.act(id, "resume"));
        return client.finished(id);
    }

    private static void assertRefused(JsonNode job, String input) {
        assertEquals("failed", job.path("state").asText(), job.toString());
        assertTrue(job.path("message").asText().contains(input), job.toString());
    }

    @ParameterizedTest
    @EnumSource(value = Says.class, names = "NOTHING", mode = EnumSource.Mode.EXCLUDE)
    void anObjectReplacedDuringAPauseIsRefused(Says says) {
        objects.says = says;
        createAndAwaitHalf("direct", objects.url() + "stock.csv");
        pauseAndAwait();
        objects.replace(second);
        assertRefused(resumed(), objects.url() + "stock.csv");
    }

    @Test
    void anObjectWithoutAVersionBeginsOver() throws Exception {
        objects.says = Says.NOTHING;
        createAndAwaitHalf("direct", objects.url() + "stock.csv");
        pauseAndAwait();
        objects.replace(second);
        JsonNode job = resumed();
        assertEquals("succeeded", job.path("state").asText(), job.toString());
        assertTrue(job.at("/report/warnings/0").asText().contains(objects.url() + "stock.csv"), job.toString());
        assertTrue(job.at("/report/warnings/0").asText().contains("starts over"), job.toString());
        assertEquals(second.length, job.at("/report/bytesRead").asLong(), job.toString());
        assertEquals(ROWS, job.at("/report/rowsRead").asInt(), job.toString());
        PUBLISHED.add(id);
    }

    @ParameterizedTest
    @ValueSource(strings = {"direct", "two-pass"})
    void anObjectOverwrittenWhileItIsSentIsRefused(String mode) throws Exception {
        createAndAwaitHalf(mode, objects.url() + "stock.csv");
        objects.replace(second);
        assertRefused(client.finished(id), objects.url() + "stock.csv");
    }

    /** With its length, its time of change and its first bytes kept. */
    @Test
    void aFileReplacedDuringAPauseIsRefused() throws Exception {
        Path file = Files.write(directory.resolve(id + ".csv"), first);
        FileTime modified = Files.getLastModifiedTime(file);
        createAndAwaitHalf("direct", file.toString());
        pauseAndAwait();
        change(file, Change.RENAMED_OVER);
        Files.setLastModifiedTime(file, modified);
        assertRefused(resumed(), file.toString());
    }

    @ParameterizedTest
    @EnumSource(Change.class)
    void aFileChangedWhileItIsReadIsRefused(Change change) throws Exception {
        Path file = Files.write(directory.resolve(id + ".csv"), first);
        createAndAwaitHalf("merge", file.toString());
        change(file, change);
        assertRefused(client.finished(id), file.toString());
    }

    private void change(Path file, Change change) throws IOException {
        switch (change) {
            case APPENDED ->
                Files.write(
                        file, (Stock.line(ROWS) + "\n").getBytes(StandardCharsets.UTF_8), StandardOpenOption.APPEND);
            case OVERWRITTEN -> Files.write(file, second, StandardOpenOption.WRITE);
            case RENAMED_OVER ->
                Files.move(
                        Files.write(directory.resolve("new.csv"), second),
                        file,
                        StandardCopyOption.ATOMIC_MOVE,
                        StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /** The process is killed when nodes have noted that part of the input is done. */
    @Test
    void anS3ObjectReplacedAfterAKillIsRefused() throws Exception {
        byte[] large = text(ROWS_WITH_NOTES);
        try (ObjectStore s3 = new ObjectStore(Files.createDirectory(directory.resolve("objects")))) {
            s3.put("bucket", "stock.csv", large);
            assertEquals(
                    SluiceProcess.KILLED,
                    importOf(s3, HaltingSluice.at(ImportEvents.NOTED)).exitCode());
            s3.put("bucket", "stock.csv", otherVersion(large));
            Result refused = importOf(s3, List.of());
            assertEquals(2, refused.exitCode(), refused.toString());
            assertTrue(refused.err().contains("s3://bucket/stock.csv was modified since"), refused.toString());
            s3.put("bucket", "stock.csv", large);
        }
    }

    private Result importOf(ObjectStore s3, List<String> jvmOptions) throws Exception {
        List<String> arguments =
                new ArrayList<>(List.of("import", "--job-id", "s3", "--mode", "direct", "--workers", "1"));
        arguments.addAll(List.of(
                "--memory", "64m", "--store", directory.resolve("s3-store").toString()));
        arguments.addAll(List.of("--schema", directory.resolve("stock.sql").toString(), "s3://bucket/stock.csv"));
        arguments.addAll(s3.options());
        Files.writeString(directory.resolve("stock.sql"), Stock.SQL);
        List<String> jvm = new ArrayList<>(ObjectStore.credentials());
        jvm.addAll(jvmOptions);
        return SluiceProcess.run(directory, jvm, arguments.toArray(new String[0]));
    }

    /** A server of one file that ignores conditional headers; only its responses tell versions apart. */
    private static final class Objects implements AutoCloseable {
        private final HttpServer server;
        private final ExecutorService threads = Executors.newCachedThreadPool();
        private volatile byte[] content;
        private final AtomicInteger version = new AtomicInteger(1);
        private volatile Says says = Says.ETAG;

        Objects(byte[] content) throws IOException {
            this.content = content;
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.setExecutor(threads);
            server.createContext("/", exchange -> {
                try (exchange) {
                    answer(exchange);
                }
            });
            server.start();
        }

        String url() {
            return "http://127.0.0.1:" + server.getAddress().getPort() + "/";
        }

        void reset(byte[] to) {
            content = to;
            version.set(1);
            says = Says.ETAG;
        }

        void replace(byte[] other) {
            content = other;
            version.incrementAndGet();
        }

        private void answer(HttpExchange exchange) throws IOException {
            byte[] bytes = content;
            switch (says) {
                case ETAG -> exchange.getResponseHeaders().set("ETag", "\"" + version + "\"");
                case DATE ->
                    exchange.getResponseHeaders().set("Last-Modified", "Sat, 0" + version + " Aug 2026 10:00:00 GMT");
                case NOTHING -> {}
            }
            String range = exchange.getRequestHeaders().getFirst("Range");
            int from = range == null ? 0 : Integer.parseInt(range.replaceAll("bytes=(\\d+)-.*", "$1"));
            int to = range == null || range.endsWith("-")
                    ? bytes.length
                    : Integer.parseInt(range.replaceAll(".*-", "")) + 1;
            if (range != null) {
                String part = "bytes " + from + "-" + (to - 1) + "/" + bytes.length;
                exchange.getResponseHeaders().set("Content-Range", part);
            }
            exchange.sendResponseHeaders(range == null ? 200 : 206, to - from);
            exchange.getResponseBody().write(bytes, from, to - from);
        }

        @Override
        public void close() {
            server.stop(0);
            threads.shutdownNow();
        }
    }
}
