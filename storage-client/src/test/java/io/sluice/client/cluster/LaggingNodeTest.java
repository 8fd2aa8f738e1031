package io.sluice.client.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.NodeClient;
import io.sluice.api.node.NodeStatus;
import io.sluice.api.node.RangeDirectory;
import io.sluice.api.node.TableDigest;
import io.sluice.api.node.TableStatus;
import io.sluice.api.wire.ChecksumBody;
import io.sluice.api.wire.ClusterChange;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.Table;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/**
 * A table of 100 rows, of which node b has counted 5 more, and an append of 10: node b applies its entry later than
 * node a, whose checksums include the 5 rows.
 */
class LaggingNodeTest {
    private static final Table TABLE =
            Table.bind(Ddl.parse("CREATE TABLE t (a INT PRIMARY KEY)", "test").get(0), 53, parent -> null);
    private static final TableStatus BEFORE = status(1, 105, 100);
    private static final TableStatus AFTER = status(2, 115, 115);

    private static List<IndexChecksum> rows(int count) {
        return List.of(new IndexChecksum("primary", new KvChecksum(count, count * 10L, count * 7L)));
    }

    private static TableStatus status(long epoch, int imported, int published) {
        RangeDirectory places =
                new RangeDirectory(epoch, List.of(new RangeDirectory.Range(new byte[0], List.of("a", "b"))));
        return new TableStatus(TABLE, rows(imported), Instant.EPOCH, places, rows(published));
    }

    private static NodeClient node(String id, Supplier<TableStatus> table) {
        InvocationHandler answers = (proxy, method, arguments) -> switch (method.getName()) {
            case "status" -> new NodeStatus(id, "1", 54, new NodeStatus.Load(0, 0, 0, 0, 0, ""));
            case "table" -> table.get();
            case "tables" -> List.of(table.get());
            case "digest" -> new TableDigest("t", rows(115));
            case "close" -> null;
            default -> throw new UnsupportedOperationException(method.getName());
        };
        return (NodeClient) Proxy.newProxyInstance(
                LaggingNodeTest.class.getClassLoader(), new Class<?>[] {NodeClient.class}, answers);
    }

    private static List<IndexChecksum> published(List<ClusterChange.Moved> moved) {
        assertEquals(1, moved.size());
        return ChecksumBody.toSums(moved.get(0).published());
    }

    @Test
    void rowsOfNodesAtDifferentEpochsAreNotCounted() {
        try (Cluster cluster = new Cluster(Map.of("a", node("a", () -> AFTER), "b", node("b", () -> BEFORE)), 1)) {
            assertFalse(Objects.requireNonNull(cluster.table("t")).counted());
        }
        try (Cluster cluster = new Cluster(Map.of("a", node("a", () -> AFTER), "b", node("b", () -> AFTER)), 1)) {
            TableStatus all = Objects.requireNonNull(cluster.table("t"));
            assertTrue(all.counted());
            assertEquals(115, all.rows());
        }
        TableStatus unchanged = status(1, 100, 100);
        try (Cluster cluster = new Cluster(Map.of("a", node("a", () -> AFTER), "b", node("b", () -> unchanged)), 1)) {
            assertTrue(Objects.requireNonNull(cluster.table("t")).counted());
        }
    }

    @Test
    void appendThatALeavingNodeHasNotAppliedCountsOnce() {
        try (Cluster cluster = new Cluster(Map.of("a", node("a", () -> AFTER), "b", node("b", () -> BEFORE)), 1)) {
            assertEquals(rows(115), published(cluster.without(Set.of("b"))));
        }
    }

    @Test
    void removalWaitsForTheNodesThatStay() {
        AtomicInteger asked = new AtomicInteger();
        NodeClient late = node("b", () -> asked.incrementAndGet() < 5 ? BEFORE : AFTER);
        Map<String, NodeClient> nodes = Map.of("a", node("a", () -> AFTER), "b", late, "c", node("c", () -> AFTER));
        try (Cluster cluster = new Cluster(nodes, 1)) {
            assertEquals(rows(115), published(cluster.without(Set.of("a"))));
            assertTrue(asked.get() >= 5);
        }
    }
}
