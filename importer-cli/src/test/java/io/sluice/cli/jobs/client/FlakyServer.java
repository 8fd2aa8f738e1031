package io.sluice.cli.jobs.client;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** An HTTP server that answers as a test tells it, request by request, and notes what it was asked. */
final class FlakyServer implements AutoCloseable {
    /** Requests: method, path with query, idempotency key. */
    final List<String> asked = new CopyOnWriteArrayList<>();

    private final HttpServer server;
    private final List<Reply> replies;

    /** An answer; status 0 breaks the connection, and a body without an end breaks it behind the body. */
    record Reply(int status, String body, boolean whole) {
        static Reply of(int status, String body) {
            return new Reply(status, body, true);
        }
    }

    FlakyServer(Reply... replies) throws IOException {
        this.replies = List.of(replies);
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.start();
    }

    private void answer(HttpExchange exchange) throws IOException {
        Reply reply = replies.get(Math.min(asked.size(), replies.size() - 1));
        asked.add(exchange.getRequestMethod() + " " + exchange.getRequestURI() + " "
                + exchange.getRequestHeaders().getFirst("Idempotency-Key"));
        exchange.getRequestBody().readAllBytes();
        if (reply.status == 0) {
            exchange.close();
            return;
        }
        byte[] body = reply.body.getBytes(StandardCharsets.UTF_8);
        // A length that never comes is a connection that breaks.
        exchange.sendResponseHeaders(reply.status, reply.whole ? body.length : body.length + 1);
        exchange.getResponseBody().write(body);
        exchange.getResponseBody().flush();
        exchange.close();
    }

    ServiceClient client() {
        return new ServiceClient(
                ServiceAddress.of("127.0.0.1:" + server.getAddress().getPort(), "a token", null));
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
