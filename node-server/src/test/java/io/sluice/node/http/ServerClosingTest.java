package io.sluice.node.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.SstFile;
import io.sluice.api.wire.ApiPaths;
import io.sluice.api.wire.SstState;
import io.sluice.model.schema.Table;
import io.sluice.testing.TestTables;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node that is closed while it is used: the process lives, and what was acknowledged is there afterwards. */
class ServerClosingTest {
    private static final UUID IMPORT = UUID.fromString("6f1c2c0e-5d0a-4c58-9a0b-0d5a9f3f1a01");
    private static final int SENDERS = 4;

    @Test
    void whatWasAcknowledgedBeforeTheEndIsThereAfterIt(@TempDir Path directory) throws Exception {
        Set<UUID> acknowledged = ConcurrentHashMap.newKeySet();
        ExecutorService senders = Executors.newFixedThreadPool(SENDERS);
        try (ServedNode served = ServedNode.open(directory)) {
            Table table = served.begin(IMPORT, TestTables.accounts("accounts"), IngestTiming.ON_ARRIVAL);
            CountDownLatch some = new CountDownLatch(SENDERS);
            List<SstFile> ssts = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                ssts.addAll(served.ssts(table, TestTables.accountRows(100 + i)));
            }
            for (int sender = 0; sender < SENDERS; sender++) {
                int first = sender;
                senders.execute(() -> {
                    for (int i = first; i < ssts.size(); i += SENDERS) {
                        if (!sent(served, ssts.get(i))) {
                            break;
                        }
                        acknowledged.add(ssts.get(i).id());
                        some.countDown();
                    }
                });
            }
            assertTrue(some.await(60, TimeUnit.SECONDS));
        } finally {
            senders.shutdown();
            assertTrue(senders.awaitTermination(60, TimeUnit.SECONDS));
        }
        try (ServedNode again = ServedNode.open(directory)) {
            HttpResponse<String> states = again.post(
                    ApiPaths.INGEST,
                    "{\"importId\":\"" + IMPORT + "\",\"ssts\":" + ServedNode.JSON.writeValueAsString(acknowledged)
                            + "}",
                    java.util.Map.of());
            assertEquals(200, states.statusCode(), states.body());
            SstState[] all = ServedNode.JSON.readValue(states.body(), SstState[].class);
            assertEquals(acknowledged.size(), all.length);
            for (SstState each : all) {
                assertEquals(SstState.State.INGESTED, each.state(), each.id().toString());
            }
        }
    }

    /** Sends until the node has it; false when the node is gone. */
    private static boolean sent(ServedNode served, SstFile sst) {
        try {
            while (true) {
                int status = served.put(sst, IMPORT).statusCode();
                if (status == 201 || status == 200) {
                    return true;
                }
                if (status != 429) {
                    return false;
                }
                Thread.sleep(20);
            }
        } catch (IOException e) {
            return false;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
