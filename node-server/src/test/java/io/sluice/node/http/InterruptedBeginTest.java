package io.sluice.node.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IngestTiming;
import io.sluice.client.RemoteNode;
import io.sluice.client.RemoteSettings;
import io.sluice.model.error.OperationFailedException;
import io.sluice.node.NodeSettings;
import io.sluice.node.ingest.FaultPoints;
import io.sluice.testing.TestTables;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
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
                    ImportSession unused = remote.beginImport(
                            named ? request.withImportId(UUID.randomUUID()) : request);
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
}
