package io.sluice.client.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.KeyTexts;
import io.sluice.api.node.NodeClient;
import io.sluice.api.node.NodeStatus;
import io.sluice.api.node.RangeDirectory;
import io.sluice.api.node.RowCursor;
import io.sluice.api.node.ScanRequest;
import io.sluice.api.node.TableDigest;
import io.sluice.api.node.TableStatus;
import io.sluice.api.transaction.Placement;
import io.sluice.api.wire.ClusterBody;
import io.sluice.api.wire.Wire;
import io.sluice.client.RemoteSettings;
import io.sluice.model.error.NodeUnreachableException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.kv.IndexKeys;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.row.Row;
import io.sluice.model.schema.ColumnType;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.Table;
import io.sluice.model.schema.TableDef;
import io.sluice.model.schema.TypeKind;
import io.sluice.model.text.DatumParser;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Reads of a table on nodes that answer by a script, one letter per request for rows: {@code o} has no contact to most
 * others, {@code s} is silent, {@code m} does not hold the keys any more, {@code r} answers. The last letter repeats.
 */
class ReplicaReadsTest {
    private static final TableDef DEF =
            Ddl.parse("CREATE TABLE t (a INT PRIMARY KEY)", "test").get(0);
    private static final List<@Nullable String> ROW = List.of("7");
    private static final int EARLIER_BUILD = -2;

    /** A node that answers by a script. */
    private static NodeClient node(String id, String script, TableStatus table) {
        Deque<Character> left =
                script.chars().mapToObj(letter -> (char) letter).collect(Collectors.toCollection(ArrayDeque::new));
        InvocationHandler answers = (proxy, method, arguments) -> switch (method.getName()) {
            case "status" -> new NodeStatus(id, "1", 2, new NodeStatus.Load(0, 0, 0, 0, 0, ""));
            case "table" -> table;
            case "tables" -> List.of(table);
            case "get" -> answer(id, left, ROW);
            case "scan" -> answer(id, left, rows());
            case "digest" -> answer(id, left, digest());
            case "close" -> null;
            default -> throw new UnsupportedOperationException(method.getName());
        };
        return (NodeClient) Proxy.newProxyInstance(
                ReplicaReadsTest.class.getClassLoader(), new Class<?>[] {NodeClient.class}, answers);
    }

    private static Object answer(String id, Deque<Character> left, Object rows) {
        char next = left.size() > 1 ? left.removeFirst() : left.getFirst();
        return switch (next) {
            case 'o' -> throw NodeUnreachableException.outdated(id, id, id + " has no contact");
            case 's' -> throw new NodeUnreachableException(id, id + " does not answer", new IllegalStateException());
            case 'm' -> throw NodeUnreachableException.moved(id, id, id + " does not hold these keys");
            default -> rows;
        };
    }

    private static TableDigest digest() {
        return new TableDigest("t", List.of(new IndexChecksum("primary", KvChecksum.EMPTY)));
    }

    private static RowCursor rows() {
        return cursor(new ArrayDeque<>(List.of(ROW)));
    }

    private static RowCursor cursor(Deque<List<@Nullable String>> rows) {
        return new RowCursor() {
            @Override
            public @Nullable List<@Nullable String> next() {
                return rows.poll();
            }

            @Override
            public void close() {}
        };
    }

    private static Cluster cluster(String... scripts) {
        Map<String, NodeClient> nodes = new LinkedHashMap<>();
        RangeDirectory all = new RangeDirectory(
                1,
                List.of(new RangeDirectory.Range(
                        new byte[0], List.of("a", "b", "c").subList(0, scripts.length))));
        TableStatus table =
                new TableStatus(Table.bind(DEF, 53, parent -> null), List.of(), Instant.EPOCH, all, List.of());
        for (String script : scripts) {
            String id = Character.toString('a' + nodes.size());
            nodes.put(id, node(id, script, table));
        }
        return new Cluster(nodes, 1);
    }

    private static void assertRead(Cluster cluster, String method) {
        switch (method) {
            case "get" -> assertEquals(ROW, cluster.get("t", List.of("7")));
            case "digest" -> assertEquals(digest(), cluster.digest("t"));
            default -> {
                try (RowCursor rows = cluster.scan(new ScanRequest("t", "primary", List.of(), List.of(), 10))) {
                    assertEquals(ROW, rows.next());
                }
            }
        }
    }

    @Test
    void nodeThatHasNotAppliedADropIsPassedOver() {
        RangeDirectory places =
                new RangeDirectory(1, List.of(new RangeDirectory.Range(new byte[0], List.of("a", "b"))));
        RangeDirectory before =
                new RangeDirectory(9, List.of(new RangeDirectory.Range(new byte[0], List.of("b", "c"))));
        TableStatus now =
                new TableStatus(Table.bind(DEF, 53, parent -> null), List.of(), Instant.EPOCH, places, List.of());
        TableStatus dropped =
                new TableStatus(Table.bind(DEF, 52, parent -> null), List.of(), Instant.EPOCH, before, List.of());
        Map<String, NodeClient> nodes = new LinkedHashMap<>();
        nodes.put("c", node("c", "r", dropped));
        nodes.put("a", node("a", "r", now));
        nodes.put("b", node("b", "r", now));
        ClusterBody known = new ClusterBody("cluster", "a", null, 0, List.of(), List.of(), List.of(), List.of());
        ClusterLog log = new ClusterLog(known, RemoteSettings::of);
        Cluster cluster = new Cluster(nodes, 1, log, 0);
        assertEquals(ROW, cluster.get("t", List.of("7")));
        assertEquals(
                List.of(places),
                cluster.placements(Set.of()).stream().map(Placement::directory).toList());
        NodePool pool = new NodePool(
                List.of(new Member("c", "c", node("c", "r", dropped)), new Member("a", "a", node("a", "r", now))));
        assertEquals(
                Set.of("a"),
                TableAnswers.of(pool, "t", log).found().keySet().stream()
                        .map(Member::name)
                        .collect(Collectors.toSet()));
        // Nodes without a log may each have a table of their own.
        Cluster others = new Cluster(nodes, 1);
        assertTrue(assertThrows(OperationFailedException.class, () -> others.get("t", List.of("7")))
                .toString()
                .contains("have different tables named t"));
    }

    @Test
    void messagesHaveTheNamesOfMembers() {
        RangeDirectory places = new RangeDirectory(1, List.of(new RangeDirectory.Range(new byte[0], List.of("b"))))
                .at(Map.of("b", "127.0.0.1:2"));
        TableStatus table =
                new TableStatus(Table.bind(DEF, 53, parent -> null), List.of(), Instant.EPOCH, places, List.of());
        InvocationHandler none = (proxy, method, arguments) -> {
            throw new NodeUnreachableException("127.0.0.1:2", "no answer", new IllegalStateException());
        };
        NodeClient silent = (NodeClient) Proxy.newProxyInstance(
                ReplicaReadsTest.class.getClassLoader(), new Class<?>[] {NodeClient.class}, none);
        List<ClusterBody.Member> members = List.of(
                new ClusterBody.Member("a", "n1", "http://127.0.0.1:1", "127.0.0.1:11"),
                new ClusterBody.Member("b", "n2", "http://127.0.0.1:2", "127.0.0.1:12"));
        ClusterBody known = new ClusterBody("c", "a", null, 0, members, List.of(), List.of(), List.of());
        Cluster cluster = new Cluster(
                Map.of("127.0.0.1:1", node("a", "r", table), "127.0.0.1:2", silent),
                1,
                new ClusterLog(known, RemoteSettings::of),
                0);
        String incomplete =
                String.valueOf(Objects.requireNonNull(cluster.table("t")).incomplete());
        assertTrue(incomplete.contains("They are on node n2 (127.0.0.1:2), which does not answer. "), incomplete);
    }

    @Test
    void readOfOneNodeWaitsForItsContact() {
        TableStatus table = new TableStatus(
                Table.bind(DEF, 53, parent -> null),
                List.of(),
                Instant.EPOCH,
                new RangeDirectory(1, List.of(new RangeDirectory.Range(new byte[0], List.of("a")))),
                List.of());
        NodeClient back = node("a", "oor", table);
        assertEquals(ROW, Replicas.waiting(() -> back.get("t", List.of("7"))));
        NodeClient silent = node("a", "sr", table);
        assertThrows(NodeUnreachableException.class, () -> Replicas.waiting(() -> silent.get("t", List.of("7"))));
    }

    /** After the death of a leader no node has contact to most others until there is a new one. */
    @ParameterizedTest(name = "{0} of {1} and {2}")
    @CsvSource({
        "get, r, s",
        "get, s, r",
        "get, o, r",
        "get, ssr, ooor",
        "get, s, oor",
        "get, oor, s",
        "get, oo, mmr",
        "scan, r, s",
        "scan, s, r",
        "scan, o, r",
        "scan, ssr, ooor",
        "scan, s, oor",
        "scan, oor, s",
        "scan, oo, mmr",
        "digest, r, s",
        "digest, s, r",
        "digest, o, r",
        "digest, ssr, ooor",
        "digest, s, oor",
        "digest, oor, s",
        "digest, oo, mmr",
    })
    void replicaThatAnswersIsReadSoonerOrLater(String method, String first, String second) {
        try (Cluster cluster = cluster(first, second)) {
            assertRead(cluster, method);
        }
    }

    /**
     * A node with an index of ten entries, of which some have no row: {@code gone}, deleted with its entry since that
     * was read; {@code late}, inserted on another node first; {@code lost}, the table is damaged. One of an earlier
     * build does not tell the keys of entries.
     */
    private static NodeClient indexed(String id, TableStatus table, int gone, int late, int lost) {
        IndexKeys keys = new IndexKeys(table.table());
        AtomicInteger asked = new AtomicInteger();
        InvocationHandler answers = (proxy, method, arguments) -> switch (method.getName()) {
            case "status" -> new NodeStatus(id, "1", 2, new NodeStatus.Load(0, 0, 0, 0, 0, ""));
            case "table" -> table;
            case "get" -> {
                int key = Integer.parseInt((String) ((List<?>) arguments[1]).get(0));
                boolean missing = key == gone || key == lost || (key == late && asked.incrementAndGet() == 1);
                yield missing ? null : List.of("" + key, "" + key);
            }
            case "scan" -> {
                ScanRequest request = (ScanRequest) arguments[0];
                Deque<List<@Nullable String>> rows = new ArrayDeque<>();
                boolean again = request.limit() == 1;
                for (int i = 0; i < 10 && rows.size() < request.limit(); i++) {
                    Row row = new Row(2);
                    Object unused = DatumParser.of(ColumnType.of(TypeKind.INT8)).parse("" + i, row, 0);
                    unused = DatumParser.of(ColumnType.of(TypeKind.INT8)).parse("" + i, row, 1);
                    byte[] key = keys.prefix(1, row, 1);
                    boolean there = Objects.requireNonNull(request.within()).contains(key) && !(again && i == gone);
                    if (there) {
                        rows.add(lost == EARLIER_BUILD ? List.of("" + i) : List.of("" + i, Wire.hex(key)));
                    }
                }
                yield cursor(rows);
            }
            case "close" -> null;
            default -> throw new UnsupportedOperationException(method.getName());
        };
        return (NodeClient) Proxy.newProxyInstance(
                ReplicaReadsTest.class.getClassLoader(), new Class<?>[] {NodeClient.class}, answers);
    }

    /** Statements change rows and their entries on other nodes, one after the other. */
    @Test
    void entryWithoutARowIsReadAgain() {
        Table bound = Table.bind(
                Ddl.parse("CREATE TABLE t (a INT PRIMARY KEY, b INT, INDEX by_b (b))", "test")
                        .get(0),
                53,
                parent -> null);
        RangeDirectory places = new RangeDirectory(
                1,
                List.of(
                        new RangeDirectory.Range(new byte[0], List.of("a")),
                        new RangeDirectory.Range(new IndexKeys(bound).span(1).start(), List.of("b"))));
        TableStatus table = new TableStatus(bound, List.of(), Instant.EPOCH, places, List.of());
        ScanRequest request = new ScanRequest("t", "by_b", List.of(), List.of(), 6);
        Map<String, NodeClient> nodes = new LinkedHashMap<>();
        nodes.put("a", indexed("a", table, 3, 4, -1));
        nodes.put("b", indexed("b", table, 3, 4, -1));
        try (Cluster cluster = new Cluster(nodes, 1);
                RowCursor rows = cluster.scan(request)) {
            for (int i : new int[] {0, 1, 2, 4, 5, 6}) {
                assertEquals(List.of("" + i, "" + i), rows.next());
            }
            assertNull(rows.next());
        }
        nodes.put("a", indexed("a", table, -1, -1, EARLIER_BUILD));
        nodes.put("b", indexed("b", table, -1, -1, EARLIER_BUILD));
        try (Cluster cluster = new Cluster(nodes, 1);
                RowCursor rows = cluster.scan(request)) {
            for (int i = 0; i < 6; i++) {
                assertEquals(List.of("" + i, "" + i), rows.next());
            }
            assertNull(rows.next());
        }
        nodes.put("a", indexed("a", table, -1, -1, 3));
        nodes.put("b", indexed("b", table, -1, -1, 3));
        try (Cluster cluster = new Cluster(nodes, 1);
                RowCursor rows = cluster.scan(request)) {
            String damaged =
                    assertThrows(OperationFailedException.class, rows::next).toString();
            assertTrue(damaged.contains("an entry for primary key (3), but there is no such row"), damaged);
        }
    }

    /** A replica with rows from one number to another, whose cursor fails after some of them. */
    private static NodeClient node(String id, int from, int to, int failAfter, TableStatus table) {
        InvocationHandler answers = (proxy, method, arguments) -> switch (method.getName()) {
            case "status" -> new NodeStatus(id, "1", 2, new NodeStatus.Load(0, 0, 0, 0, 0, ""));
            case "table" -> table;
            case "scan" -> rows(from, to, failAfter, (ScanRequest) arguments[0]);
            case "close" -> null;
            default -> throw new UnsupportedOperationException(method.getName());
        };
        return (NodeClient) Proxy.newProxyInstance(
                ReplicaReadsTest.class.getClassLoader(), new Class<?>[] {NodeClient.class}, answers);
    }

    private static RowCursor rows(int from, int to, int failAfter, ScanRequest request) {
        Table table = Table.bind(DEF, 53, parent -> null);
        IndexKeys keys = new IndexKeys(table);
        Deque<List<@Nullable String>> rows = new ArrayDeque<>();
        for (int i = from; i < to && rows.size() < request.limit(); i++) {
            List<@Nullable String> row = List.of(Integer.toString(i));
            if (Objects.requireNonNull(request.within()).contains(keys.primaryKey(KeyTexts.primaryKey(table, row)))) {
                rows.add(row);
            }
        }
        int whole = rows.size();
        return new RowCursor() {
            @Override
            public @Nullable List<@Nullable String> next() {
                if (whole - rows.size() == failAfter) {
                    throw new NodeUnreachableException("a", "a does not answer", new IllegalStateException());
                }
                return rows.poll();
            }

            @Override
            public void close() {}
        };
    }

    /** Statements have deleted rows that were read, or inserted some below them. */
    @ParameterizedTest
    @ValueSource(ints = {-5, 0, 2, 3, 4})
    void scanGoesOnAfterTheLastRow(int from) {
        RangeDirectory places = new RangeDirectory(
                1,
                List.of(
                        new RangeDirectory.Range(new byte[0], List.of("a", "b")),
                        new RangeDirectory.Range(
                                new IndexKeys(Table.bind(DEF, 53, parent -> null))
                                        .span(0)
                                        .end(),
                                List.of("b"))));
        TableStatus table =
                new TableStatus(Table.bind(DEF, 53, parent -> null), List.of(), Instant.EPOCH, places, List.of());
        Map<String, NodeClient> nodes = new LinkedHashMap<>();
        nodes.put("a", node("a", 0, 10, 4, table));
        nodes.put("b", node("b", from, 10, -1, table));
        try (Cluster cluster = new Cluster(nodes, 1);
                RowCursor rows = cluster.scan(new ScanRequest("t", "primary", List.of(), List.of(), 8))) {
            for (int i = 0; i < 8; i++) {
                assertEquals(List.of(Integer.toString(i)), rows.next());
            }
            assertNull(rows.next());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"get", "scan", "digest"})
    void silentReplicasAreNotAskedAgain(String method) {
        try (Cluster cluster = cluster("sr", "sr")) {
            NodeUnreachableException failure =
                    assertThrows(NodeUnreachableException.class, () -> assertRead(cluster, method));
            assertTrue(String.valueOf(failure.getMessage()).contains("answer"), failure.getMessage());
        }
    }
}
