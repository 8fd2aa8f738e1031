package io.sluice.importer.source.remote;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.thread.Backoff;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An object store that fails for a while is asked again; one that fails for long, or refuses, is reported. */
@SuppressWarnings("NullAway.Init") // set up before each test
class ObjectFolderTest {
    private static final int UNAVAILABLE = 503;
    private static final int ATTEMPTS = 3;

    private final Map<String, byte[]> objects = new ConcurrentHashMap<>();
    private final AtomicInteger failures = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();
    private HttpServer server;
    private ObjectFolder folder;

    @TempDir
    Path directory;

    @BeforeEach
    void start() throws IOException {
        System.setProperty("aws.accessKeyId", "key");
        System.setProperty("aws.secretAccessKey", "secret");
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.start();
        URI endpoint = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
        folder = new ObjectFolder(
                "s3://bucket/sets/a", new S3Settings(endpoint, null, true), new Backoff(1, 1, ATTEMPTS));
    }

    @AfterEach
    void stop() {
        server.stop(0);
        System.clearProperty("aws.accessKeyId");
        System.clearProperty("aws.secretAccessKey");
    }

    /** Its first bytes, taken for those after the break, would double some rows and leave others out. */
    @Test
    void storeThatSendsWholeObjectsForRangesIsRefused() throws Exception {
        byte[] content = new byte[100_000];
        new Random(7).nextBytes(content);
        try (FaultyServer faulty = new FaultyServer(content, 7)) {
            S3Settings settings = new S3Settings(faulty.uri(""), null, true);
            ObjectFolder read = new ObjectFolder("s3://bucket/sets", settings, new Backoff(1, 1, ATTEMPTS));
            faulty.breaks.set(1);
            assertArrayEquals(content, read.open("file.csv", content.length).readAllBytes());
            faulty.ranges = false;
            faulty.breaks.set(1);
            BadInputException e = assertThrows(BadInputException.class, () -> read.open("file.csv", content.length)
                    .readAllBytes());
            assertTrue(e.toString().contains("the object store sends others (the whole object)"), e.toString());
        }
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readAllBytes();
            String path = exchange.getRequestURI().getPath();
            if (failures.get() > 0) {
                failures.decrementAndGet();
                refused.incrementAndGet();
                exchange.sendResponseHeaders(UNAVAILABLE, -1);
            } else if (exchange.getRequestMethod().equals("PUT")) {
                String sent = exchange.getRequestHeaders().getFirst("Content-MD5");
                String encoding = exchange.getRequestHeaders().getFirst("x-amz-decoded-content-length");
                if (encoding == null && !md5(body).equals(sent)) {
                    exchange.sendResponseHeaders(400, -1);
                    return;
                }
                objects.put(path, body);
                exchange.sendResponseHeaders(200, -1);
            } else if (!objects.containsKey(path)) {
                exchange.sendResponseHeaders(404, -1);
            } else {
                byte[] content = objects.get(path);
                if (exchange.getRequestMethod().equals("HEAD")) {
                    exchange.getResponseHeaders().set("Content-Length", String.valueOf(content.length));
                    exchange.sendResponseHeaders(200, -1);
                    return;
                }
                exchange.sendResponseHeaders(200, content.length);
                exchange.getResponseBody().write(content);
            }
        }
    }

    private static String md5(byte[] content) {
        try {
            return Base64.getEncoder()
                    .encodeToString(MessageDigest.getInstance("MD5").digest(content));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void requestsAreRepeatedAsOftenAsTheBackoffSays() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "content");
        failures.set(ATTEMPTS - 1);
        folder.put("file", file);
        assertTrue(new String(objects.get("/bucket/sets/a/file"), StandardCharsets.UTF_8).contains("content"));
        objects.put("/bucket/sets/a/small", new byte[] {1, 2});
        failures.set(ATTEMPTS - 1);
        assertArrayEquals(new byte[] {1, 2}, folder.read("small", 2));
        failures.set(Integer.MAX_VALUE);
        refused.set(0);
        String message = String.valueOf(assertThrows(OperationFailedException.class, () -> folder.read("small", 2))
                .getMessage());
        assertEquals("s3://bucket/sets/a/small: the object store answers 503", message);
        assertTrue(refused.get() <= ATTEMPTS * 5, refused + " requests");
    }

    /** As of files: an export may have such a name. */
    @Test
    void aKeyThatLooksLikeAGlobIsThatObject() {
        URI endpoint = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
        S3Store store = new S3Store(new S3Settings(endpoint, null, true), new Backoff(1, 1, ATTEMPTS));
        objects.put("/bucket/in/odd[1].csv", new byte[3]);
        Remote found = store.find("s3://bucket/in/odd[1].csv").get(0);
        assertEquals("s3://bucket/in/odd[1].csv", found.name());
        assertEquals(3, found.sizeBytes());
        BadInputException refused = assertThrows(BadInputException.class, () -> store.find("s3://bucket/in/odd[2.csv"));
        assertTrue(String.valueOf(refused.getMessage()).contains("odd[2.csv: is no pattern: "), refused.toString());
    }

    @Test
    void missingAndTooLongObjectsAreTold() {
        assertNull(folder.read("none", 10));
        objects.put("/bucket/sets/a/long", new byte[3]);
        assertThrows(BadInputException.class, () -> folder.read("long", 2));
        for (String wrong : new String[] {"s3://", "s3://bucket", "s3://bucket/", "s3:///key"}) {
            assertThrows(BadInputException.class, () -> new ObjectFolder(wrong, S3Settings.DEFAULT));
        }
    }
}
