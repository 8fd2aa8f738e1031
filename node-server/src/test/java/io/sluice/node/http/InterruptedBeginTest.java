package io.sluice.node.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.wire.ApiPaths;
import io.sluice.api.wire.BeginBody;
import io.sluice.client.RemoteNode;
import io.sluice.client.RemoteSettings;
import io.sluice.model.error.OperationFailedException;
import io.sluice.node.NodeSettings;
import io.sluice.node.ingest.FaultPoints;
import io.sluice.testing.Await;
import io.sluice.testing.TestTables;
import java.net.Socket;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An import whose client gives up while its node begins it. */
class InterruptedBeginTest {
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Timeout(60)
    void interruptedBeginLeavesTheTableFree(boolean named, @TempDir Path directory) throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        NodeSettings settings = NodeSettings.defaults().withFaults(point -> {
            if (point.equals(FaultPoints.BEGUN)) {
                begun.countDown();
                try {
                    interrupted.await();
                } catch (InterruptedException e) {
                    throw new OperationFailedException("interrupted", e);
                }
            }
        });
        ImportRequest request = ImportRequest.of(TestTables.customers(), IngestTiming.AT_END);
        try (ServedNode served =
                        new ServedNode(directory, settings, NodeLimits.defaults(), null, HttpClient.Version.HTTP_1_1);
                RemoteNode remote = new RemoteNode(RemoteSettings.of(served.server.url()))) {
            CompletableFuture<Boolean> ended = new CompletableFuture<>();
            Thread beginning = new Thread(() -> {
                try {
                    ImportSession unused =
                            remote.beginImport(named ? request.withImportId(UUID.randomUUID()) : request);
                    ended.complete(false);
                } catch (OperationFailedException e) {
                    ended.complete(Thread.currentThread().isInterrupted());
                }
            });
            beginning.start();
            begun.await();
            beginning.interrupt();
            interrupted.countDown();
            assertTrue(ended.get(30, TimeUnit.SECONDS));
            try (ImportSession other = remote.beginImport(request)) {
                assertEquals(TestTables.customers(), other.table().def());
            }
        }
    }

    /** The client has undone what it found, and the node came to its request later. */
    @Test
    @Timeout(60)
    void beginOfAClientThatIsGoneIsUndone(@TempDir Path directory) throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        CountDownLatch undone = new CountDownLatch(1);
        NodeSettings settings = NodeSettings.defaults().withFaults(point -> {
            if (point.equals(FaultPoints.BEGUN) && released.getCount() > 0) {
                begun.countDown();
                try {
                    released.await();
                } catch (InterruptedException e) {
                    throw new OperationFailedException("interrupted", e);
                }
            } else if (point.equals(FaultPoints.REMOVED)) {
                undone.countDown();
            }
        });
        try (ServedNode served =
                new ServedNode(directory, settings, NodeLimits.defaults(), null, HttpClient.Version.HTTP_1_1)) {
            byte[] body = ServedNode.JSON.writeValueAsBytes(
                    new BeginBody(UUID.randomUUID(), TestTables.customers(), null, IngestTiming.AT_END, 0, null));
            String head =
                    "POST " + ApiPaths.IMPORTS + " HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
                            + "content-length: " + body.length + "\r\n\r\n";
            try (Socket client = served.socket()) {
                client.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
                client.getOutputStream().write(body);
                client.getOutputStream().flush();
                begun.await();
            }
            // The connection of this question is left.
            Pattern one = Pattern.compile("^sluice_http_connections 1(\\.0)?$", Pattern.MULTILINE);
            Await.until(
                    () -> one.matcher(served.get(ApiPaths.METRICS).body()).find(),
                    () -> "the client's connection stays");
            released.countDown();
            assertTrue(undone.await(30, TimeUnit.SECONDS));
        }
    }
}
