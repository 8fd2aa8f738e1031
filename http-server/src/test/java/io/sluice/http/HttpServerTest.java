package io.sluice.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.sluice.http.ServerLimits.ConnectionLimits;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** The behaviour of every server, independent of its routes: problems, limits, metrics, streams. */
class HttpServerTest {
    private static final long SHORT_MILLIS = 500;
    private static final long LONG_MILLIS = 60_000;
    /** Half of the two seconds for which Netty waits for more work by default. */
    private static final long MOST_CLOSE_NANOS = 1_000_000_000;

    private static final TinyServer TINY = TinyServer.open();

    @AfterAll
    static void close() {
        TINY.close();
    }

    private static HttpServer start(HttpSettings settings) {
        ServerProfile profile = new ServerProfile("tiny", "tiny.http", (method, path) -> false, path -> false, null);
        return HttpServer.start(settings, ServerLimits.defaults(), profile, ServerRoutes::health);
    }

    /** Takes the fastest of several runs, because the machine may be busy. */
    @Test
    void serverWithoutRequestsEndsAtOnce() {
        long fastest = Long.MAX_VALUE;
        for (int i = 0; i < 3; i++) {
            TinyServer idle = TinyServer.open();
            long start = System.nanoTime();
            idle.close();
            fastest = Math.min(fastest, System.nanoTime() - start);
        }
        assertTrue(fastest < MOST_CLOSE_NANOS, fastest + " ns");
    }

    /** A client that waits for a table asks every few seconds, for hours perhaps. */
    @Test
    void repeatedRequestOfAWaitingClientIsLoggedOnce() throws Exception {
        Logger log = (Logger) LoggerFactory.getLogger(RequestLog.class);
        Level before = log.getLevel();
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.list = Collections.synchronizedList(lines.list);
        lines.start();
        log.setLevel(Level.DEBUG);
        log.addAppender(lines);
        try {
            for (int i = 0; i < 3; i++) {
                assertProblem(503, "busy", TINY.send("POST", "/busy", "{}"));
            }
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
            while (levels(lines, "/busy").size() < 3 && System.nanoTime() < end) {
                Thread.sleep(10);
            }
            assertEquals(List.of("WARN", "DEBUG", "DEBUG"), levels(lines, "/busy"));
        } finally {
            log.detachAppender(lines);
            log.setLevel(before);
        }
    }

    private static List<String> levels(ListAppender<ILoggingEvent> lines, String part) {
        return List.copyOf(lines.list).stream()
                .filter(line -> line.getFormattedMessage().contains(part))
                .map(line -> line.getLevel().toString())
                .toList();
    }

    @Test
    void linesThatRepeatComeAtGrowingIntervals() {
        RequestLog.Repeats repeats = new RequestLog.Repeats();
        List<String> logged = new ArrayList<>();
        for (int second = 0; second <= 160; second += 2) {
            long left = repeats.take("POST /busy", TimeUnit.SECONDS.toNanos(second));
            if (left >= 0) {
                logged.add(second + " s: " + left);
            }
        }
        assertEquals(List.of("0 s: 0", "10 s: 4", "30 s: 9", "70 s: 19", "150 s: 39"), logged);
        assertEquals(0, repeats.take("POST /other", TimeUnit.SECONDS.toNanos(160)));
        assertEquals(0, repeats.take("POST /busy", TimeUnit.HOURS.toNanos(1)));
    }

    @Test
    void failuresBecomeProblemsWithoutSecrets() throws Exception {
        assertProblem(404, "not-found", TINY.get("/nope"));
        HttpResponse<String> notAllowed = TINY.send("DELETE", "/numbers", "");
        assertProblem(405, "method-not-allowed", notAllowed);
        assertEquals("POST", notAllowed.headers().firstValue("allow").orElse("none"));
        assertProblem(400, "bad-request", TINY.send("POST", "/numbers", "{\"value\":"));
        HttpResponse<String> field = TINY.send("POST", "/numbers", "{\"valeu\":1}");
        assertProblem(400, "bad-request", field);
        assertTrue(field.body().contains("there is no field valeu"), field.body());
        HttpResponse<String> failed = TINY.get("/fails");
        assertProblem(500, "failed", failed);
        assertTrue(failed.body().contains("no room in (store)/files"), failed.body());
        HttpResponse<String> broken = TINY.get("/breaks");
        assertProblem(500, "failed", broken);
        assertTrue(broken.body().contains("the tiny's log tells more"), broken.body());
        assertFalse(broken.body().contains("hidden from clients"), broken.body());
    }

    private static void assertProblem(int status, String kind, HttpResponse<String> answer) throws Exception {
        assertEquals(status, answer.statusCode(), answer.body());
        assertEquals(kind, TinyServer.kind(answer));
        assertEquals(
                "application/problem+json",
                answer.headers().firstValue("content-type").orElse(""));
    }

    @Test
    void requestsKeepValidIdsAndAreCountedByRoute() throws Exception {
        assertEquals("a-1", id(TINY.get("/things/x", "x-request-id", "a-1")));
        assertFalse(id(TINY.get("/things/y", "x-request-id", "a b")).contains(" "));
        TINY.get("/nope/1");
        TINY.get("/nope/2");
        String metrics = TINY.get("/metrics").body();
        for (int i = 0; i < 600 && !metrics.contains("route=\"none\""); i++) {
            // A request is counted when it ends, which is after its response has arrived.
            Thread.sleep(20);
            metrics = TINY.get("/metrics").body();
        }
        assertTrue(metrics.contains("tiny_http_requests_seconds_count{"), metrics);
        assertTrue(metrics.contains("/things/"), metrics);
        assertFalse(metrics.contains("/things/x"), metrics);
        assertFalse(metrics.contains("/nope"), metrics);
    }

    private static String id(HttpResponse<String> answer) {
        return answer.headers().firstValue("x-request-id").orElse("");
    }

    @Test
    void oversizedRequestsAreRefused() throws Exception {
        HttpResponse<String> large = TINY.send("POST", "/numbers", "x".repeat(3 << 20));
        assertEquals(413, large.statusCode());
        assertTrue(large.body().contains("larger than 2097152 bytes"), large.body());
        assertEquals(431, TINY.get("/about", "x", "y".repeat(20 << 10)).statusCode());
        assertEquals(200, TINY.get("/about").statusCode());
    }

    @Test
    void unusedConnectionIsClosed() throws Exception {
        ServerLimits limits = ServerLimits.defaults().withTimes(LONG_MILLIS, SHORT_MILLIS, LONG_MILLIS, 1);
        try (TinyServer impatient = new TinyServer(null, limits);
                Socket socket = impatient.socket()) {
            assertEquals(-1, socket.getInputStream().read());
        }
    }

    @Test
    void silentConnectionsLockNoClientOut() throws Exception {
        ServerLimits limits = ServerLimits.defaults().withConnections(ConnectionLimits.of(40, 20));
        try (TinyServer small = new TinyServer(new BearerToken(TinyServer.SECRET), limits)) {
            List<Socket> silent = new ArrayList<>();
            try {
                for (int i = 0; i < 200; i++) {
                    Socket socket = small.socket();
                    silent.add(socket);
                    if (i % 3 == 1) {
                        socket.getOutputStream().write(TinyServer.ascii("GET /about HTTP/1.1\r\nhost: a\r\nx: "));
                    } else if (i % 3 == 2) {
                        // An open request whose body never arrives.
                        socket.getOutputStream()
                                .write(TinyServer.ascii("GET /about HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\n"));
                    }
                    if (i % 20 == 0) {
                        assertEquals(200, small.get("/healthz").statusCode());
                        assertEquals(200, authorized(small, "/metrics").statusCode());
                        assertEquals(200, authorized(small, "/things/x").statusCode());
                    }
                }
                String metrics = authorized(small, "/metrics").body();
                assertTrue(metrics.contains("tiny_http_connections 20"), metrics);
                assertTrue(metrics.contains("tiny_http_connections_closed_total{reason=\"client\"} 1"), metrics);
            } finally {
                for (Socket socket : silent) {
                    socket.close();
                }
            }
        }
    }

    private static HttpResponse<String> authorized(TinyServer server, String path) throws Exception {
        return server.get(path, "authorization", "Bearer " + TinyServer.SECRET);
    }

    @Test
    void missingBodiesBlockNoReservedRoute() throws Exception {
        ServerLimits limits = ServerLimits.defaults().withConnections(ConnectionLimits.of(16, 8));
        try (TinyServer small = new TinyServer(null, limits)) {
            List<Socket> slow = new ArrayList<>();
            try {
                for (int i = 0; i < 50; i++) {
                    sendSlowly(small, slow);
                }
                for (int i = 0; i < 10; i++) {
                    assertEquals(200, get(small, "/healthz").statusCode());
                    assertEquals(200, get(small, "/metrics").statusCode());
                }
                // The server evicted some of the first fifty before it had read their headers.
                HttpResponse<String> refused = get(small, "/things/x");
                for (int tries = 0; tries < 100 && refused.statusCode() == 200; tries++) {
                    sendSlowly(small, slow);
                    refused = get(small, "/things/x");
                }
                assertProblem(503, "busy", refused);
                assertEquals("1", refused.headers().firstValue("retry-after").orElse(""));
            } finally {
                for (Socket socket : slow) {
                    socket.close();
                }
            }
        }
    }

    /** Retries if the server evicted the connection for a new one: all connections have the same address here. */
    private static HttpResponse<String> get(TinyServer server, String path) throws Exception {
        IOException last = new IOException("never asked");
        for (int tries = 0; tries < 10; tries++) {
            try {
                return server.get(path);
            } catch (IOException e) {
                last = e;
            }
        }
        throw last;
    }

    /** Sends the headers of a request whose body never arrives. */
    private static void sendSlowly(TinyServer server, List<Socket> slow) throws IOException {
        Socket socket = server.socket();
        slow.add(socket);
        socket.getOutputStream()
                .write(TinyServer.ascii("POST /numbers HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\n"));
    }

    @Test
    void slowRequestsOfOneKindBlockNoOtherKind() throws Exception {
        try (TinyServer tiny = TinyServer.open();
                Socket first = tiny.socket()) {
            first.getOutputStream().write(TinyServer.ascii("GET /slow HTTP/1.1\r\nhost: localhost\r\n\r\n"));
            tiny.slowBegan.await();
            HttpResponse<String> refused = tiny.get("/slow");
            assertProblem(503, "busy", refused);
            assertTrue(refused.headers().firstValue("retry-after").isPresent());
            assertEquals(200, tiny.get("/things/x").statusCode());
            String metrics = tiny.get("/metrics").body();
            assertTrue(metrics.contains("tiny_http_requests_refused_total{kind=\"slow\"} 1.0"), metrics);
        }
    }

    @Test
    void streamsAreCompleteAndReleaseTheirPlaces() throws Exception {
        String expected = IntStream.rangeClosed(1, TinyServer.LINES)
                .mapToObj(number -> number + "\n")
                .collect(Collectors.joining());
        assertEquals(expected, TINY.get("/lines").body());
        try (Socket socket = TINY.socket()) {
            socket.getOutputStream().write(TinyServer.ascii("GET /lines HTTP/1.1\r\nhost: localhost\r\n\r\n"));
            assertEquals('H', socket.getInputStream().read());
        }
        // The disconnected client has released its place, of which there is one per client.
        HttpResponse<String> again = TINY.get("/lines");
        for (int i = 0; i < 600 && again.statusCode() != 200; i++) {
            Thread.sleep(20);
            again = TINY.get("/lines");
        }
        assertEquals(expected, again.body());
    }

    @Test
    void portInUseIsAFailureThatNamesThePort() {
        InetSocketAddress taken = TINY.server().address();
        OperationFailedException failed =
                assertThrows(OperationFailedException.class, () -> start(new HttpSettings(taken, null, null)));
        assertTrue(
                String.valueOf(failed.getMessage())
                        .contains(": port " + taken.getPort() + " is in use by another process"),
                failed.getMessage());
    }

    @Test
    void invalidCertificateFilesAreBadInput(@TempDir Path directory) {
        HttpSettings.TlsFiles none =
                new HttpSettings.TlsFiles(directory.resolve("cert.pem"), directory.resolve("key.pem"));
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        assertThrows(BadInputException.class, () -> start(new HttpSettings(any, null, none)));
    }

    @Test
    void allRoutesAreListed() {
        List<String> paths = TINY.server().routes().stream()
                .map(config -> config.route().patternString())
                .toList();
        assertTrue(paths.containsAll(List.of("/healthz", "/metrics", "/about")), paths.toString());
    }
}
