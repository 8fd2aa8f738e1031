package io.sluice.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.MediaType;
import io.sluice.api.wire.ApiPaths;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.TableBusyException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/** A minimal server for tests, and its clients. */
final class TinyServer implements AutoCloseable {
    static final String SECRET = "correct-horse-battery-staple";
    static final Path STORE = Path.of("/secret/place");
    static final int LINES = 200_000;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** The body of {@code POST /numbers}. */
    record Value(int value) {}

    private @Nullable RequestLimits streams;
    /** The latch that {@code GET /slow} waits for. */
    final CountDownLatch slow = new CountDownLatch(1);

    final CountDownLatch slowBegan = new CountDownLatch(1);
    private final HttpServer server;
    /** An HTTP/1.1 client: it reopens an evicted connection, which an HTTP/2 client does not. */
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    TinyServer(@Nullable BearerToken token, ServerLimits limits) {
        HttpSettings settings = new HttpSettings(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                token == null ? null : Tokens.of(token),
                null);
        BiPredicate<HttpMethod, String> open =
                ServerProfile.reading(ApiPaths.HEALTH).or(ServerProfile.reading("/about"));
        server = HttpServer.start(
                settings, limits, new ServerProfile("tiny", "tiny.http", open, path -> false, STORE), this::addRoutes);
    }

    static TinyServer open() {
        return new TinyServer(null, ServerLimits.defaults());
    }

    static TinyServer withToken() {
        return new TinyServer(new BearerToken(SECRET), ServerLimits.defaults());
    }

    private void addRoutes(ServerRoutes routes) {
        streams = routes.places("streams", 2);
        Kind slowly = routes.kind("slow", 1, 1, Pools.AtEnd.LEFT);
        routes.health();
        routes.metrics(() -> {});
        routes.small(HttpMethod.GET, "/about", request -> Answers.ok(Map.of("name", "tiny")));
        routes.small(HttpMethod.GET, "/things/{thing}", request -> Answers.ok(Map.of("thing", request.path("thing"))));
        routes.small(
                HttpMethod.POST,
                "/numbers",
                request -> Answers.ok(request.json(Value.class).value()));
        routes.small(HttpMethod.GET, "/fails", request -> {
            throw new OperationFailedException("no room in " + STORE + "/files");
        });
        routes.small(HttpMethod.POST, "/busy", request -> {
            throw new TableBusyException("another import is adding rows");
        });
        routes.small(HttpMethod.GET, "/breaks", request -> {
            throw new IllegalStateException("hidden from clients");
        });
        routes.add(HttpMethod.GET, "/slow", 1 << 10, new Endpoint(slowly, request -> {
            slowBegan.countDown();
            try {
                slow.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return Answers.noContent();
        }));
        routes.small(HttpMethod.GET, "/lines", request -> {
            return LineStream.of(
                    request.ctx(),
                    MediaType.PLAIN_TEXT_UTF_8,
                    new Numbers(),
                    routes.requests(),
                    routes.limits().stallMillis(),
                    Objects.requireNonNull(streams).take(request.ctx()));
        });
    }

    /** The numbers from 1 to {@link #LINES}, one per line. */
    private static final class Numbers implements LineStream.Lines {
        private int last;

        @Override
        public boolean more(ByteArrayOutputStream into) {
            into.writeBytes(ascii(++last + "\n"));
            return last < LINES;
        }

        @Override
        public void close() {
            // No resources to close.
        }
    }

    HttpServer server() {
        return server;
    }

    HttpResponse<String> get(String path, String... headers) throws Exception {
        return send("GET", path, "", headers);
    }

    HttpResponse<String> send(String method, String path, String body, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server.url() + path))
                .timeout(PATIENCE)
                .method(method, BodyPublishers.ofString(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return client.send(request.build(), BodyHandlers.ofString());
    }

    /** Sends header lines unchecked, which HTTP clients would refuse. */
    String raw(String... lines) throws IOException {
        try (Socket socket = socket()) {
            return raw(socket, lines);
        }
    }

    /** Sends header lines; returns the status line and the rest of the response. */
    static String raw(Socket socket, String... lines) throws IOException {
        OutputStream out = socket.getOutputStream();
        out.write(ascii(String.join("\r\n", lines) + "\r\n\r\n"));
        out.flush();
        byte[] answer = new byte[8 << 10];
        int length = 0;
        // The headers and the body may arrive separately.
        while (length < answer.length && !complete(new String(answer, 0, length, StandardCharsets.US_ASCII))) {
            int more = socket.getInputStream().read(answer, length, answer.length - length);
            if (more < 0) {
                break;
            }
            length += more;
        }
        return new String(answer, 0, length, StandardCharsets.US_ASCII);
    }

    private static boolean complete(String answer) {
        int body = answer.indexOf("\r\n\r\n");
        return body >= 0 && answer.length() > body + 4;
    }

    Socket socket() throws IOException {
        Socket socket = new Socket();
        socket.setSoTimeout((int) PATIENCE.toMillis());
        socket.connect(server.address());
        return socket;
    }

    static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    static JsonNode json(HttpResponse<String> answer) throws IOException {
        return Bodies.JSON.readTree(answer.body());
    }

    /** The kind of the problem in a response, or the whole body if it is not a problem. */
    static String kind(HttpResponse<String> answer) throws IOException {
        JsonNode type = json(answer).path("type");
        return type.isMissingNode() ? answer.body() : type.asText().replace("urn:sluice:problem:", "");
    }

    @Override
    public void close() {
        slow.countDown();
        server.close();
    }
}
