package io.sluice.it.cluster;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.NodeClient;
import io.sluice.client.RemoteNode;
import io.sluice.client.RemoteSettings;
import io.sluice.client.cluster.Cluster;
import io.sluice.it.support.ClosingWith;
import io.sluice.it.support.ServedNode;
import io.sluice.model.error.Backoff;
import io.sluice.model.error.OperationFailedException;
import io.sluice.testing.TestTables;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The contract, by three nodes at the other ends of connections, two replicas each. */
class ClusterOfServedNodesTest extends NodeClientContract {
    @Override
    NodeClient open(Path directory) {
        Map<String, NodeClient> nodes = new LinkedHashMap<>();
        List<ServedNode> all = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            ServedNode served = ServedNode.open(directory.resolve("node" + i));
            RemoteSettings settings = RemoteSettings.of(served.url()).withPatience(2_000, 5_000);
            nodes.put(settings.name(), new RemoteNode(settings));
            all.add(served);
        }
        return new ClosingWith(new Cluster(nodes, 2), all);
    }

    @Override
    boolean assignsRangesItself() {
        return true;
    }

    /** It waits for a node that does not answer. */
    @Test
    void interruptedBeginLeavesNoImport(@TempDir Path directory) {
        Thread client = Thread.currentThread();
        List<ServedNode> served =
                List.of(ServedNode.open(directory.resolve("first")), ServedNode.open(directory.resolve("silent")));
        NodeClient first = new RemoteNode(RemoteSettings.of(served.get(0).url()));
        NodeClient silent = ClusterTest.client(
                new RemoteNode(RemoteSettings.of(served.get(1).url())), (method, arguments) -> {
                    if (method.equals("beginImport")) {
                        Backoff.sleep(500, "waiting for the first node");
                        client.interrupt();
                        Backoff.sleep(60_000, "waiting for the end of the request");
                    }
                });
        Map<String, NodeClient> nodes = new LinkedHashMap<>();
        nodes.put("first", first);
        nodes.put("silent", silent);
        try (NodeClient cluster = new ClosingWith(new Cluster(nodes, 1), served)) {
            ImportRequest request = ImportRequest.of(TestTables.customers(), IngestTiming.AT_END);
            assertThrows(OperationFailedException.class, () -> cluster.beginImport(request));
            assertTrue(Thread.interrupted());
            // The name is free.
            first.beginImport(request).close();
        }
    }
}
