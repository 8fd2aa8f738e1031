package io.sluice.rest;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A watch whose connection breaks, with a clock that the test moves. */
class WatchTest {
    private static final String RUNNING = "{\"jobId\": \"j\", \"state\": \"running\"}";
    private static final String SUCCEEDED = "{\"jobId\": \"j\", \"state\": \"succeeded\"}";

    private final AtomicLong nanos = new AtomicLong();
    private final CountDownLatch seen = new CountDownLatch(1);
    private final AtomicInteger watchers = new AtomicInteger();

    private void events(HttpExchange exchange) throws IOException {
        boolean first = watchers.getAndIncrement() == 0;
        // The first response is shorter than its header says: its connection breaks.
        exchange.sendResponseHeaders(200, first ? 1_000_000 : 0);
        send(exchange, "event: import\ndata: " + (first ? RUNNING : SUCCEEDED) + "\n\n");
        if (first) {
            try {
                seen.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            send(exchange, ": nothing new\n\n");
        }
        exchange.close();
    }

    private static void send(HttpExchange exchange, String text) throws IOException {
        OutputStream out = exchange.getResponseBody();
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    private static void job(HttpExchange exchange) throws IOException {
        exchange.sendResponseHeaders(200, 0);
        send(exchange, RUNNING);
        exchange.close();
    }

    /** The comments of a service that has nothing new to say are responses, too. */
    @Test
    void importThatHasNotChangedForLongIsWatchedAgain() throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        ExecutorService threads = Executors.newCachedThreadPool();
        server.setExecutor(threads);
        server.createContext("/v1/imports/j", WatchTest::job);
        server.createContext("/v1/imports/j/events", this::events);
        server.start();
        try {
            URI url = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
            SluiceClient client = new SluiceClient(
                    new Connection(HttpClient.newHttpClient(), url, null, Duration.ofMinutes(1)),
                    Duration.ofMinutes(1),
                    nanos::get);
            List<String> states = new ArrayList<>();
            client.watch("j", job -> {
                states.add(job.path("state").asText());
                if (states.size() == 1) {
                    nanos.addAndGet(Duration.ofMinutes(3).toNanos());
                    seen.countDown();
                }
            });
            assertEquals(List.of("running", "running", "succeeded"), states);
        } finally {
            server.stop(0);
            threads.shutdownNow();
        }
    }
}
