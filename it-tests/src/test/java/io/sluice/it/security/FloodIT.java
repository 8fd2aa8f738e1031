package io.sluice.it.security;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.support.NodeProcess;
import io.sluice.it.support.SluiceProcess;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Thousands of connections that send nothing, half a head, or a head without its body, to a real node and a real
 * service: another client, on the same address even, is answered as if they were not there. {@code -Plong} opens
 * 10,000.
 */
class FloodIT {
    private static final int CONNECTIONS = Integer.getInteger("sluice.it.connections", 2_000);
    /** A scheduling hiccup of a busy machine is no starvation; that lasted 60 s. */
    private static final Duration AT_ONCE = Duration.ofSeconds(15);

    private static final int ROUNDS = 5;

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    Path directory;

    @Test
    void nodeAnswersDuringThousandsOfSilentConnections() throws Exception {
        try (NodeProcess node = NodeProcess.start(directory.resolve("store"))) {
            flooded(URI.create(node.url()), List.of("/healthz", "/metrics", "/v1/tables", "/v1/node"));
        }
    }

    @Test
    void serviceAnswersDuringThousandsOfSilentConnections() throws Exception {
        SluiceProcess service = SluiceProcess.serve(directory, "127.0.0.1:0", directory);
        try {
            flooded(URI.create(service.url()), List.of("/healthz", "/metrics", "/v1/imports", "/v1/service"));
        } finally {
            service.terminate();
            SluiceProcess.Result unused = service.await();
        }
    }

    private static void flooded(URI server, List<String> paths) throws Exception {
        List<SocketChannel> flood = new ArrayList<>();
        try {
            for (int i = 0; i < CONNECTIONS; i++) {
                flood.add(open(server, i));
                if (i % (CONNECTIONS / ROUNDS) == 0) {
                    asked(server, paths);
                }
            }
            for (int round = 0; round < ROUNDS; round++) {
                asked(server, paths);
            }
        } finally {
            for (SocketChannel each : flood) {
                each.close();
            }
        }
        HttpResponse<String> metrics = asked(server, List.of("/metrics"));
        assertTrue(metrics.body().contains("_http_connections_closed_total{reason=\"client\"}"), metrics.body());
    }

    private static SocketChannel open(URI server, int number) throws IOException {
        SocketChannel channel = SocketChannel.open();
        channel.connect(new InetSocketAddress(server.getHost(), server.getPort()));
        String head =
                switch (number % 3) {
                    case 0 -> "";
                    case 1 -> "GET /v1/tables HTTP/1.1\r\nhost: localhost\r\nx: ";
                    default -> "GET /healthz HTTP/1.1\r\nhost: localhost\r\ncontent-length: 10\r\n\r\n";
                };
        try {
            channel.write(ByteBuffer.wrap(head.getBytes(StandardCharsets.US_ASCII)));
        } catch (IOException e) {
            // Closed already, as it may be.
            channel.close();
        }
        return channel;
    }

    /** A client that connects anew, as one that comes just now does. */
    private static HttpResponse<String> asked(URI server, List<String> paths) throws Exception {
        HttpClient client = HttpClient.newBuilder().connectTimeout(AT_ONCE).build();
        @Nullable HttpResponse<String> answer = null;
        for (String path : paths) {
            HttpRequest request = HttpRequest.newBuilder(server.resolve(path))
                    .timeout(AT_ONCE)
                    .build();
            answer = client.send(request, BodyHandlers.ofString());
            assertEquals(200, answer.statusCode(), answer.body());
        }
        return Objects.requireNonNull(answer, "no path");
    }
}
