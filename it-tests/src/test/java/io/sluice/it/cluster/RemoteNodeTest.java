package io.sluice.it.cluster;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.NodeClient;
import io.sluice.client.RemoteNode;
import io.sluice.client.RemoteSettings;
import io.sluice.it.support.ClosingWith;
import io.sluice.it.support.Imports;
import io.sluice.it.support.ServedNode;
import io.sluice.it.support.Stock;
import io.sluice.model.error.NodeUnreachableException;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The contract, by a node at the other end of a connection. */
class RemoteNodeTest extends NodeClientContract {
    private static final long PATIENCE_MILLIS = 1_500;

    @Override
    NodeClient open(Path directory) {
        ServedNode served = ServedNode.open(directory);
        RemoteSettings settings = RemoteSettings.of(served.url()).withPatience(2_000, 5_000);
        return new ClosingWith(new RemoteNode(settings), List.of(served));
    }

    /** An import that gave up on a node leaves it: that must not take as long again. */
    @Test
    void silentNodeIsNotWaitedForTwice(@TempDir Path directory) {
        ServedNode served = ServedNode.open(directory.resolve("away"));
        RemoteSettings settings = RemoteSettings.of(served.url()).withPatience(PATIENCE_MILLIS, PATIENCE_MILLIS);
        try (RemoteNode node = new RemoteNode(settings)) {
            ImportSession session = node.beginImport(
                    new ImportRequest(Imports.table(Stock.SQL), IngestTiming.ON_ARRIVAL, new UUID(1, 2), 0));
            served.close();
            long begin = System.nanoTime();
            do {
                assertThrows(NodeUnreachableException.class, () -> session.putCheckpoint("k", new byte[] {1}));
            } while (millisSince(begin) < PATIENCE_MILLIS);
            long gaveUp = System.nanoTime();
            assertThrows(NodeUnreachableException.class, session::detach);
            assertTrue(millisSince(gaveUp) < PATIENCE_MILLIS / 3, "waited " + millisSince(gaveUp) + " ms again");
        }
    }

    private static long millisSince(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos);
    }
}
