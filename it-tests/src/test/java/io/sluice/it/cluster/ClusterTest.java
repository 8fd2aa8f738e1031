package io.sluice.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.NodeClient;
import io.sluice.client.cluster.Cluster;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.schema.TableDef;
import io.sluice.model.thread.Backoff;
import io.sluice.node.NodeSettings;
import io.sluice.node.StorageNode;
import io.sluice.testing.TestTables;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.IntConsumer;
import java.util.stream.Collectors;
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
        NodeClient watched = client(added, (method, arguments) -> {
            if (method.equals("beginImport")) {
                asked.add(((ImportRequest) arguments[0]).tableId());
            }
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

    /** The answer of a node was lost and the import failed; its client begins it again. */
    @Test
    void importBegunOnOneNodeOnlyCanBeBegunAgain(@TempDir Path directory) {
        ImportRequest request = new ImportRequest(TestTables.customers(), IngestTiming.AT_END, new UUID(2, 2), 0);
        try (Nodes nodes = new Nodes(directory)) {
            nodes.beforeBegin = node -> {
                if (node == 1) {
                    nodes.beforeBegin = each -> {};
                    nodes.stores.get(1).beginImport(request);
                    throw new OperationFailedException("the answer is lost");
                }
            };
            assertThrows(OperationFailedException.class, () -> nodes.cluster.beginImport(request));
            try (ImportSession session = nodes.cluster.beginImport(request)) {
                assertEquals(List.of(), nodes.cluster.tables());
                assertEquals(Set.of(session.table().id()), nodes.tableIds());
            }
            assertEquals(Set.of(), nodes.tableIds());
        }
    }

    /** Of two imports that begin at once, each is the first on some nodes. */
    @Test
    void importsThatBeginAtOnceGetOneTableIdEach(@TempDir Path directory) {
        ImportRequest request = ImportRequest.of(TestTables.accounts("first"), IngestTiming.AT_END);
        ImportRequest other = ImportRequest.of(TestTables.accounts("second"), IngestTiming.AT_END);
        try (Nodes nodes = new Nodes(directory)) {
            List<ImportSession> others = new ArrayList<>();
            nodes.beforeBegin = node -> {
                if (node == 2) {
                    nodes.beforeBegin = each -> {};
                    nodes.awaitImports(0);
                    others.add(nodes.stores.get(0).beginImport(other));
                    others.add(nodes.stores.get(2).beginImport(other));
                }
            };
            try (ImportSession session = nodes.cluster.beginImport(request)) {
                others.forEach(ImportSession::close);
                assertEquals(Set.of(session.table().id()), nodes.tableIds());
            }
        }
    }

    /** Three nodes of which a test sees the requests to begin imports. */
    private static final class Nodes implements AutoCloseable {
        final List<StorageNode> stores = new ArrayList<>();
        final NodeClient cluster;
        volatile IntConsumer beforeBegin = node -> {};

        Nodes(Path directory) {
            Map<String, NodeClient> clients = new LinkedHashMap<>();
            for (int i = 0; i < 3; i++) {
                int node = i;
                StorageNode store = StorageNode.open(directory.resolve("node" + i), NodeSettings.defaults());
                stores.add(store);
                clients.put("node" + i, client(store, (method, arguments) -> {
                    if (method.equals("beginImport")) {
                        beforeBegin.accept(node);
                    }
                }));
            }
            cluster = new Cluster(clients, 1);
        }

        void awaitImports(int node) {
            while (stores.get(node).catalog().imports().all().isEmpty()) {
                Backoff.sleep(1, "waiting for an import");
            }
        }

        /** Table ids of the imports in progress. */
        Set<Integer> tableIds() {
            return stores.stream()
                    .flatMap(store -> store.catalog().imports().all().stream())
                    .map(running -> running.table().id())
                    .collect(Collectors.toSet());
        }

        @Override
        public void close() {
            cluster.close();
        }
    }

    /** A node with a hook before each request. */
    static NodeClient client(NodeClient store, BiConsumer<String, Object[]> before) {
        return (NodeClient) Proxy.newProxyInstance(
                ClusterTest.class.getClassLoader(), new Class<?>[] {NodeClient.class}, (proxy, method, arguments) -> {
                    before.accept(method.getName(), arguments);
                    try {
                        return method.invoke(store, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
