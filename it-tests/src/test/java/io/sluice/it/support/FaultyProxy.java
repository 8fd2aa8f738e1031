package io.sluice.it.support;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * An HTTP proxy in front of one node, which a test can make misbehave: as proxies do that give up on a node, or whose
 * target was changed.
 */
public final class FaultyProxy implements AutoCloseable {
    private static final Set<String> OWN_HEADERS =
            Set.of("connection", "content-length", "host", "transfer-encoding", "upgrade", "http2-settings", "te");
    private static final int BAD_GATEWAY = 502;
    private static final int NO_BODY = -1;

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private volatile String target;
    /** The fault for requests whose path ends in a given word. */
    private volatile Fault fault = (proxy, path, forward) -> forward.run();

    /** Decides about one request. */
    @FunctionalInterface
    public interface Fault {
        /**
         * Decides.
         *
         * @param path of the request
         * @param forward sends it to the target and gives the status of the answer
         * @return the status to answer with; the target's own, to pass its answer on; 0 to close the connection
         */
        int answer(FaultyProxy proxy, String path, Forward forward) throws Exception;
    }

    /** Sends a request on. */
    @FunctionalInterface
    public interface Forward {
        int run() throws Exception;
    }

    private FaultyProxy(HttpServer server, String target) {
        this.server = server;
        this.target = target;
        server.createContext("/", this::handle);
        server.setExecutor(threads);
        server.start();
    }

    /**
     * Starts a proxy.
     *
     * @param target {@code HOST:PORT}
     */
    public static FaultyProxy to(String target) throws IOException {
        return new FaultyProxy(
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0), target);
    }

    /** {@code HOST:PORT} of the proxy. */
    public String address() {
        return "127.0.0.1:" + server.getAddress().getPort();
    }

    /** Leads elsewhere from now on. */
    public void retarget(String other) {
        target = other;
    }

    /** Misbehaves from now on. */
    public void fault(Fault next) {
        fault = next;
    }

    /** Passes everything on again. */
    public void heal() {
        fault = (proxy, path, forward) -> forward.run();
    }

    private void handle(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readAllBytes();
        HttpResponse<?>[] answered = {null};
        try {
            int status = fault.answer(this, exchange.getRequestURI().getPath(), () -> {
                HttpResponse<byte[]> answer =
                        client.send(request(exchange, body), HttpResponse.BodyHandlers.ofByteArray());
                answered[0] = answer;
                return answer.statusCode();
            });
            HttpResponse<?> answer = answered[0];
            if (status == 0) {
                // Without an answer the server closes the connection.
                return;
            }
            if (answer == null || status != answer.statusCode()) {
                exchange.sendResponseHeaders(status, NO_BODY);
                return;
            }
            answer.headers().map().forEach((name, values) -> {
                if (!OWN_HEADERS.contains(name.toLowerCase(Locale.ROOT))) {
                    exchange.getResponseHeaders().put(name, List.copyOf(values));
                }
            });
            byte[] bytes = (byte[]) answer.body();
            exchange.sendResponseHeaders(status, bytes.length == 0 ? NO_BODY : bytes.length);
            exchange.getResponseBody().write(bytes);
        } catch (IOException e) {
            exchange.sendResponseHeaders(BAD_GATEWAY, NO_BODY);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            throw new IOException(e);
        } finally {
            exchange.close();
        }
    }

    private HttpRequest request(HttpExchange exchange, byte[] body) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://" + target + exchange.getRequestURI()))
                .method(
                        exchange.getRequestMethod(),
                        body.length == 0
                                ? HttpRequest.BodyPublishers.noBody()
                                : HttpRequest.BodyPublishers.ofByteArray(body));
        exchange.getRequestHeaders().forEach((name, values) -> {
            if (!OWN_HEADERS.contains(name.toLowerCase(Locale.ROOT))) {
                values.forEach(value -> request.header(name, value));
            }
        });
        return request.build();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
