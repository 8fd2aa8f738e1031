package io.sluice.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.NodeClient;
import io.sluice.client.cluster.Cluster;
import io.sluice.model.schema.TableDef;
import io.sluice.node.NodeSettings;
import io.sluice.node.StorageNode;
import io.sluice.testing.TestTables;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The contract, by three nodes in this process. */
class ClusterTest extends NodeClientContract {
    @Override
    NodeClient open(Path directory) {
        Map<String, NodeClient> nodes = new LinkedHashMap<>();
        for (int i = 0; i < 3; i++) {
            nodes.put("node" + i, StorageNode.open(directory.resolve("node" + i), NodeSettings.defaults()));
        }
        return new Cluster(nodes, 1);
    }

    @Override
    boolean assignsRangesItself() {
        return true;
    }

    /** A smaller id may be that of a table of the others: the new node may get a replica of it later. */
    @Test
    void newMemberGetsTheTableIdOfTheOthers(@TempDir Path directory) {
        List<Integer> asked = new ArrayList<>();
        TableDef table = TestTables.customers();
        StorageNode old = StorageNode.open(directory.resolve("old"), NodeSettings.defaults());
        StorageNode added = StorageNode.open(directory.resolve("added"), NodeSettings.defaults());
        NodeClient watched = (NodeClient) Proxy.newProxyInstance(
                ClusterTest.class.getClassLoader(), new Class<?>[] {NodeClient.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("beginImport")) {
                        asked.add(((ImportRequest) arguments[0]).tableId());
                    }
                    return method.invoke(added, arguments);
                });
        Map<String, NodeClient> nodes = new LinkedHashMap<>(Map.of("added", watched));
        nodes.put("old", old);
        try (NodeClient cluster = new Cluster(nodes, 1)) {
            ImportSession given = old.beginImport(new ImportRequest(table, IngestTiming.AT_END, new UUID(1, 1), 7));
            given.close();
            try (ImportSession session = cluster.beginImport(ImportRequest.of(table, IngestTiming.AT_END))) {
                assertEquals(8, session.table().id());
            }
        }
        assertEquals(List.of(8), asked);
    }
}
