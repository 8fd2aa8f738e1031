package io.sluice.node.http;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.sluice.http.ProblemException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An SST is read whole from a server that breaks connections, and not at all from one with another object. */
@SuppressWarnings("NullAway.Init") // set up before each test
class SstFetchTest {
    private static final int BYTES = 300_000;
    private static final int BROKEN_AFTER = 100_000;

    private final byte[] object = new byte[BYTES];
    private final List<String> ranges = new CopyOnWriteArrayList<>();
    private HttpServer server;

    @TempDir
    Path directory;

    @BeforeEach
    void start() throws IOException {
        new Random(1).nextBytes(object);
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/breaking", exchange -> send(exchange, BROKEN_AFTER));
        server.createContext("/whole", exchange -> send(exchange, BYTES));
        server.createContext("/moved", exchange -> {
            exchange.getResponseHeaders().add("Location", "/whole");
            exchange.sendResponseHeaders(302, -1);
            exchange.close();
        });
        server.createContext("/down", exchange -> {
            ranges.add("down");
            exchange.sendResponseHeaders(503, -1);
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    /** Sends what the range asks for, and breaks off after some bytes. */
    private void send(HttpExchange exchange, int most) throws IOException {
        String range = exchange.getRequestHeaders().getFirst("Range");
        ranges.add(range);
        int from = Integer.parseInt(range.substring("bytes=".length(), range.length() - 1));
        exchange.sendResponseHeaders(206, BYTES - from);
        exchange.getResponseBody().write(object, from, Math.min(most, BYTES - from));
        try {
            exchange.close();
        } catch (RuntimeException e) {
            // The body was cut on purpose.
            ranges.add("cut");
        }
    }

    private SstFetch fetch(String path, long bytes) {
        URI source = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + path + "?signature=secret");
        return new SstFetch(source, bytes, 5_000, Duration.ofSeconds(20));
    }

    @Test
    void brokenConnectionIsContinuedAtItsByte() throws IOException {
        Path file = directory.resolve("sst");
        FileSink.Received received = fetch("/breaking", BYTES).to(file);
        assertArrayEquals(object, Files.readAllBytes(file));
        CRC32C crc = new CRC32C();
        crc.update(object);
        assertEquals((int) crc.getValue(), received.crc32c());
        assertEquals("bytes=0-", ranges.get(0));
        assertTrue(ranges.contains("bytes=" + BROKEN_AFTER + "-"), ranges.toString());
    }

    @Test
    void otherObjectsAndRedirectsAreNotRead() {
        for (String[] wrong : new String[][] {
            {"/whole", "1", "the object has 300000 bytes, not 299999"},
            {"/whole", "-1", "the object has 300000 bytes, not 300001"},
            {"/moved", "0", "answers 302"},
            {"/none", "0", "answers 404"},
            {"/down", "0", "answers 503"}
        }) {
            Path file = directory.resolve("sst" + wrong[0].replace('/', '-') + wrong[1]);
            long bytes = BYTES - Long.parseLong(wrong[1]);
            String message = String.valueOf(assertThrows(
                            ProblemException.class, () -> fetch(wrong[0], bytes).to(file))
                    .getMessage());
            assertTrue(message.contains(wrong[2]), message);
            assertFalse(message.contains("secret"), message);
        }
        assertEquals(4, ranges.stream().filter("down"::equals).count());
    }
}
