package io.sluice.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.ShuffleBatch;
import io.sluice.client.RemoteNode;
import io.sluice.client.RemoteSettings;
import io.sluice.it.support.ServedNode;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.TableDef;
import io.sluice.node.http.NodeLimits;
import io.sluice.testing.TestBatches;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node that waits for nothing answers 202 to whatever takes long, and its client asks until that is done. */
class LongRunningOperationsTest {
    private static final int ROWS = 20_000;
    private static final int ROWS_EACH = 200;
    private static final TableDef TABLE = Ddl.parse(
                    "CREATE TABLE pairs (id INT8 PRIMARY KEY, name STRING, INDEX by_name (name))", "test")
            .get(0);

    @Test
    void longRunningOperationsArePolled(@TempDir Path store) throws Exception {
        try (ServedNode served = ServedNode.open(store, NodeLimits.defaults().withStepMillis(1));
                RemoteNode node = new RemoteNode(RemoteSettings.of(served.url()).withPatience(5_000, 5_000));
                ImportSession session =
                        node.beginImport(new ImportRequest(TABLE, IngestTiming.SHUFFLED, new UUID(1, 2), 0))) {
            List<ShuffleBatch> batches = TestBatches.of(session.table(), rows(), ROWS_EACH);
            batches.forEach(batch -> TestBatches.send(session, batch));
            List<IndexChecksum> sums = TestBatches.sums(session.table(), batches);
            assertEquals(1, session.finalizeIngest().maxHeight());
            assertEquals(sums, session.present());
            assertEquals(sums, session.readBack().indexes());
            session.publish(sums);
            assertEquals(sums, node.digest("pairs").indexes());
            String metrics = metrics(served);
            for (String route : List.of("finalize", "readback", "digest")) {
                assertTrue(
                        metrics.lines()
                                .anyMatch(line -> line.startsWith("sluice_http_requests_seconds_count")
                                        && line.contains("/" + route)
                                        && line.contains("status=\"202\"")),
                        () -> "no 202 response for " + route + ":\n" + metrics);
            }
        }
    }

    private static List<List<String>> rows() {
        return IntStream.range(0, ROWS)
                .mapToObj(id -> List.of(Integer.toString(id), "name " + (ROWS - id)))
                .toList();
    }

    private static String metrics(ServedNode served) throws Exception {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(served.url() + "/metrics")).build();
        return HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body();
    }
}
