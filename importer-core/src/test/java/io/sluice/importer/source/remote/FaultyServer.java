package io.sluice.importer.source.remote;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** An HTTP server on loopback that serves one file with the faults a test sets. */
final class FaultyServer implements AutoCloseable {
    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<String> authorizations = new ArrayList<>();
    private final Random random;

    volatile byte[] content;
    volatile @Nullable String etag = "\"v1\"";
    volatile @Nullable String lastModified;
    volatile boolean ranges = true;
    /** Whether the server honours conditions of requests. */
    volatile boolean conditions = true;
    /** Number of answers that end at a random byte before a whole one. */
    final AtomicInteger breaks = new AtomicInteger();

    volatile int[] statuses = {};
    volatile @Nullable String password;
    /** Called when an answer has broken off. */
    volatile Runnable onBreak = () -> {};

    FaultyServer(byte[] content, long seed) throws IOException {
        this.content = content;
        random = new Random(seed);
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    URI uri(String path) {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + path);
    }

    synchronized List<String> authorizations() {
        return List.copyOf(authorizations);
    }

    private synchronized void handle(HttpExchange exchange) throws IOException {
        String authorization = exchange.getRequestHeaders().getFirst("Authorization");
        authorizations.add(String.valueOf(authorization));
        String path = exchange.getRequestURI().getPath();
        if (statuses.length > 0) {
            int status = statuses[0];
            statuses = java.util.Arrays.copyOfRange(statuses, 1, statuses.length);
            exchange.sendResponseHeaders(status, -1);
        } else if (path.startsWith("/to/")) {
            exchange.getResponseHeaders().set("Location", path.substring("/to".length()));
            exchange.sendResponseHeaders(302, -1);
        } else if (path.equals("/nowhere")) {
            exchange.sendResponseHeaders(302, -1);
        } else if (path.equals("/loop")) {
            exchange.getResponseHeaders().set("Location", "/loop");
            exchange.sendResponseHeaders(302, -1);
        } else if (!path.endsWith("/file.csv")) {
            exchange.sendResponseHeaders(404, -1);
        } else if (password != null && !basic(password).equals(authorization)) {
            exchange.sendResponseHeaders(401, -1);
        } else {
            serve(exchange);
        }
        exchange.close();
    }

    static String basic(String credentials) {
        return "Basic " + Base64.getEncoder().encodeToString(credentials.getBytes(StandardCharsets.UTF_8));
    }

    private void serve(HttpExchange exchange) throws IOException {
        String range = exchange.getRequestHeaders().getFirst("Range");
        int from = 0;
        int to = content.length;
        boolean partial = ranges && range != null;
        if (partial) {
            String[] ends = range.substring("bytes=".length()).split("-", -1);
            from = Integer.parseInt(ends[0]);
            to = ends[1].isEmpty() ? to : Math.min(to, Integer.parseInt(ends[1]) + 1);
        }
        if (etag != null) {
            exchange.getResponseHeaders().set("ETag", etag);
        }
        if (lastModified != null) {
            exchange.getResponseHeaders().set("Last-Modified", lastModified);
        }
        if (conditions
                && (differs(exchange, "If-Match", etag) || differs(exchange, "If-Unmodified-Since", lastModified))) {
            exchange.sendResponseHeaders(412, -1);
            return;
        }
        if (partial && from >= content.length) {
            exchange.getResponseHeaders().set("Content-Range", "bytes */" + content.length);
            exchange.sendResponseHeaders(416, -1);
            return;
        }
        if (partial) {
            exchange.getResponseHeaders().set("Content-Range", "bytes " + from + "-" + (to - 1) + "/" + content.length);
        }
        exchange.sendResponseHeaders(partial ? 206 : 200, to == from ? -1 : to - from);
        OutputStream out = exchange.getResponseBody();
        if (to - from > 1 && breaks.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            out.write(content, from, random.nextInt(to - from));
            out.flush();
            onBreak.run();
            return;
        }
        out.write(content, from, to - from);
    }

    private static boolean differs(HttpExchange exchange, String condition, @Nullable String has) {
        String wanted = exchange.getRequestHeaders().getFirst(condition);
        return wanted != null && !wanted.equals(has);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
