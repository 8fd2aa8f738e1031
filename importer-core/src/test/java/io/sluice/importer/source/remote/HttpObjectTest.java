package io.sluice.importer.source.remote;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.importer.source.origin.Access;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.SluiceException;
import io.sluice.model.thread.Backoff;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A file behind http comes whole and in one version, whatever the server does, or not at all. */
@SuppressWarnings("NullAway.Init") // the set-up sets the fields
class HttpObjectTest {
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());
    private static final Backoff QUICK = new Backoff(1, 5, 4);

    private final HttpRequests requests = new HttpRequests(Access.ALL);
    private byte[] content;
    private FaultyServer server;

    @BeforeEach
    void start() throws IOException {
        content = new byte[300_000];
        new Random(SEED).nextBytes(content);
        server = new FaultyServer(content, SEED);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private Remote find(String path) throws IOException {
        return HttpObject.find(requests, server.uri(path), QUICK);
    }

    private static byte[] read(Remote remote) throws IOException {
        try (InputStream in = remote.origin().open()) {
            return in.readAllBytes();
        }
    }

    @Test
    void theSizeIsKnownBeforehand() throws IOException {
        Remote remote = find("/file.csv");
        assertEquals(content.length, remote.sizeBytes());
        assertArrayEquals(content, read(remote));
        assertArrayEquals(content, read(remote), "the second time");
    }

    @Test
    void anEmptyFile() throws IOException {
        server.content = new byte[0];
        assertEquals(0, find("/file.csv").sizeBytes());
        assertEquals(0, read(find("/file.csv")).length);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void connectionsThatBreakAnywhereAreResumed(boolean ranges) throws IOException {
        server.ranges = ranges;
        for (int i = 0; i < 10; i++) {
            Remote remote = find("/file.csv");
            // Without ranges each attempt may end before the one before it did, which is no progress.
            server.breaks.set(ranges ? 6 : 2);
            assertArrayEquals(content, read(remote), "seed " + SEED);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aFileThatChangesOnTheWayIsRefused(boolean ranges) throws IOException {
        Remote remote = find("/file.csv");
        server.ranges = ranges;
        server.breaks.set(1);
        server.onBreak = () -> {
            server.content = new byte[content.length];
            server.etag = "\"v2\"";
        };
        assertSays(BadInputException.class, () -> read(remote), "changed while it was read");
    }

    /** Positions go back and forth, and connections break on the way. */
    @Test
    void rangesHaveTheBytesOfTheirPositions() throws IOException {
        content = new byte[2_000_000];
        Random random = new Random(SEED);
        random.nextBytes(content);
        server.content = content;
        server.breaks.set(3);
        try (SeekableByteChannel file = find("/file.csv").origin().openFile()) {
            assertEquals(content.length, file.size());
            for (int i = 0; i < 20; i++) {
                int from = random.nextInt(content.length + 1);
                ByteBuffer read = ByteBuffer.allocate(Math.min(100_000, content.length - from));
                file.position(from);
                while (read.hasRemaining() && file.read(read) >= 0) {
                    assertEquals(from + read.position(), file.position());
                }
                assertArrayEquals(
                        Arrays.copyOfRange(content, from, from + read.capacity()),
                        read.array(),
                        "from byte " + from + ", seed " + SEED);
            }
            assertEquals(-1, file.position(content.length).read(ByteBuffer.allocate(1)));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aFileThatChangesBetweenTwoRangesIsRefused(boolean conditions) throws IOException {
        server.conditions = conditions;
        content = new byte[2_000_000];
        server.content = content;
        try (SeekableByteChannel file = find("/file.csv").origin().openFile()) {
            file.position(content.length - 8L).read(ByteBuffer.allocate(8));
            server.etag = "\"v2\"";
            assertSays(
                    BadInputException.class,
                    () -> file.position(4).read(ByteBuffer.allocate(8)),
                    "changed while it was read");
        }
    }

    @Test
    void rangesOfAServerWithoutThemAreRefused() throws IOException {
        server.ranges = false;
        try (SeekableByteChannel file = find("/file.csv").origin().openFile()) {
            assertSays(
                    BadInputException.class,
                    () -> file.position(9).read(ByteBuffer.allocate(8)),
                    "the server sends only whole files");
        }
        server.etag = null;
        Remote unknown = find("/file.csv");
        assertSays(BadInputException.class, () -> unknown.origin().openFile(), "neither ETag nor Last-Modified");
    }

    @Test
    void aFileThatChangedBeforeItIsReadIsRefused() throws IOException {
        Remote remote = find("/file.csv");
        server.content = new byte[] {1};
        server.etag = "\"v2\"";
        assertSays(BadInputException.class, () -> read(remote), "changed while it was read");
    }

    /** Simulates a proxy that drops the ETag, and a server that ignores conditions. */
    @Test
    void anAnswerThatDoesNotSayItsVersionIsRefused() throws IOException {
        server.conditions = false;
        Remote remote = find("/file.csv");
        server.etag = null;
        assertSays(BadInputException.class, () -> read(remote), "changed while it was read");
    }

    @Test
    void aFileOfADateIsOneOfThatDate() throws IOException {
        server.etag = "W/\"weak\"";
        server.lastModified = "Sat, 01 Aug 2026 10:00:00 GMT";
        Remote remote = find("/file.csv");
        assertTrue(remote.origin().repeatable());
        server.breaks.set(3);
        assertArrayEquals(content, read(remote));
        server.lastModified = "Sat, 01 Aug 2026 10:00:01 GMT";
        assertSays(BadInputException.class, () -> read(remote), "changed while it was read");
    }

    /** All bytes came in one answer; the server may have overwritten the file while it sent them. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aFileThatWasReadIsStillTheSame(boolean conditions) throws IOException {
        server.conditions = conditions;
        Remote remote = find("/file.csv");
        assertArrayEquals(content, read(remote));
        remote.origin().ensureUnchanged();
        String before = remote.origin().version();
        server.etag = "\"v2\"";
        assertSays(
                BadInputException.class,
                () -> {
                    try {
                        remote.origin().ensureUnchanged();
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                },
                "changed while it was read");
        assertFalse(before.equals(find("/file.csv").origin().version()));
    }

    @Test
    void withoutAVersionNothingIsResumed() throws IOException {
        server.etag = null;
        Remote remote = find("/file.csv");
        assertFalse(remote.origin().repeatable());
        assertArrayEquals(content, read(remote));
        server.breaks.set(1);
        assertSays(OperationFailedException.class, () -> read(remote), "neither ETag nor Last-Modified");
    }

    /** The end of such a response is that of its connection, so a broken one looks whole. */
    @Test
    void responseWithoutAnEndIsRefused() throws Exception {
        try (ServerSocket plain = answering("HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nConnection: close\r\n\r\n1,a\n2,b\n")) {
            assertSays(
                    BadInputException.class,
                    () -> read(HttpObject.find(requests, address(plain), QUICK)),
                    "neither the length of the file nor its end");
        }
    }

    @Test
    void responseInChunksIsReadToItsEnd() throws Exception {
        String head = "HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n";
        try (ServerSocket whole = answering(head + "4\r\n1,a\n\r\n0\r\n\r\n");
                ServerSocket cut = answering(head + "4\r\n1,a\n\r\n")) {
            assertArrayEquals(
                    "1,a\n".getBytes(StandardCharsets.US_ASCII),
                    read(HttpObject.find(requests, address(whole), QUICK)));
            assertSays(
                    OperationFailedException.class,
                    () -> read(HttpObject.find(requests, address(cut), QUICK)),
                    "the connection broke");
        }
    }

    private static URI address(ServerSocket server) {
        return URI.create("http://127.0.0.1:" + server.getLocalPort() + "/file.csv");
    }

    /** Starts a server that answers every request with the same bytes, until it is closed. */
    private static ServerSocket answering(String response) throws IOException {
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread thread = new Thread(() -> {
            while (!server.isClosed()) {
                try (Socket client = server.accept()) {
                    BufferedReader request = new BufferedReader(
                            new InputStreamReader(client.getInputStream(), StandardCharsets.US_ASCII));
                    String line = request.readLine();
                    while (line != null && !line.isEmpty()) {
                        line = request.readLine();
                    }
                    client.getOutputStream().write(response.getBytes(StandardCharsets.US_ASCII));
                } catch (IOException e) {
                    // The client or the test has closed its end: the loop looks which.
                }
            }
        });
        thread.setDaemon(true);
        thread.start();
        return server;
    }

    @Test
    void aServerThatIsBusyIsAskedAgainButNotForEver() throws IOException {
        server.statuses = new int[] {503, 429, 500};
        assertArrayEquals(content, read(find("/file.csv")));
        server.statuses = new int[] {503, 503, 503, 503, 503};
        assertSays(OperationFailedException.class, () -> find("/file.csv"), "503, 4 times in a row");
    }

    @Test
    void refusalsAreNotRepeated() throws IOException {
        assertSays(BadInputException.class, () -> find("/other.csv"), "404");
        assertEquals(1, server.authorizations().size());
        server.statuses = new int[] {403};
        assertSays(BadInputException.class, () -> find("/file.csv"), "credentials");
    }

    @Test
    void redirectsAreFollowedAFewTimes() throws IOException {
        assertArrayEquals(content, read(find("/to/to/file.csv")));
        assertSays(BadInputException.class, () -> find("/loop"), "redirected more than");
        assertSays(BadInputException.class, () -> find("/nowhere"), "redirects and names no address");
    }

    @Test
    void aServerThatIsNotThereRefusesTheConnection() {
        URI nowhere = URI.create("http://127.0.0.1:1/file.csv");
        SluiceException failed = assertThrows(SluiceException.class, () -> HttpObject.find(requests, nowhere, QUICK));
        assertTrue(failed.toString().contains("no answer from the server: connection refused"), failed.toString());
    }

    @Test
    void credentialsGoToTheServerAndNowhereElse() throws IOException {
        server.password = "ada:s3cret";
        URI uri = server.uri("/file.csv?signature=hidden");
        URI withUser = URI.create(uri.toString().replace("http://", "http://ada:s3cret@"));
        Remote remote = HttpObject.find(requests, withUser, QUICK);
        assertArrayEquals(content, read(remote));
        assertEquals(server.uri("/file.csv") + "?…", remote.name());
        assertEquals(remote.name(), remote.origin().toString());
        URI wrong = URI.create(withUser.toString().replace("s3cret", "wr0ng"));
        SluiceException refused = assertThrows(BadInputException.class, () -> HttpObject.find(requests, wrong, QUICK));
        assertFalse(refused.toString().matches("(?s).*(wr0ng|ada|hidden).*"), refused.toString());
    }

    @Test
    void theServerThatIsRedirectedToGetsNoCredentials() throws IOException {
        try (FaultyServer other = new FaultyServer(content, SEED)) {
            int port = other.uri("/").getPort();
            URI from = server.uri("/to//127.0.0.1:" + port + "/file.csv");
            URI withUser = URI.create(from.toString().replace("http://", "http://ada:s3cret@"));
            assertArrayEquals(content, read(HttpObject.find(requests, withUser, QUICK)));
            assertTrue(server.authorizations().contains(FaultyServer.basic("ada:s3cret")));
            assertEquals(
                    java.util.Set.of("null"), java.util.Set.copyOf(other.authorizations()), "sent to another server");
        }
    }

    @Test
    void aServerThatIsNotThereIsNamed() {
        URI nowhere = server.uri("/file.csv");
        server.close();
        assertSays(OperationFailedException.class, () -> HttpObject.find(requests, nowhere, QUICK), nowhere.toString());
    }

    private static void assertSays(
            Class<? extends SluiceException> kind, org.junit.jupiter.api.function.Executable work, String text) {
        SluiceException thrown = assertThrows(kind, work);
        assertTrue(String.valueOf(thrown.getMessage()).contains(text), thrown.toString());
    }
}
