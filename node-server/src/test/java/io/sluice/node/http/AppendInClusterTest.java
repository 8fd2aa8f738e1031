package io.sluice.node.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.AppendSession;
import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.KvPage;
import io.sluice.api.node.NodeClient;
import io.sluice.api.node.RowCursor;
import io.sluice.api.node.ScanRequest;
import io.sluice.api.node.ScanRequest.Content;
import io.sluice.api.node.TableStatus;
import io.sluice.api.transaction.Changes;
import io.sluice.api.transaction.Changes.TableChanges;
import io.sluice.api.transaction.Participant;
import io.sluice.api.transaction.ReadRequest;
import io.sluice.api.wire.ChecksumBody;
import io.sluice.api.wire.ClusterBody;
import io.sluice.api.wire.ClusterChange;
import io.sluice.client.RemoteNode;
import io.sluice.client.RemoteReplica;
import io.sluice.client.RemoteSettings;
import io.sluice.client.cluster.Cluster;
import io.sluice.client.cluster.ClusterLog;
import io.sluice.client.cluster.Rebalancing;
import io.sluice.client.cluster.Repair;
import io.sluice.client.cluster.ReplicaPlan;
import io.sluice.http.HttpSettings;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.ChangeRefusedException;
import io.sluice.model.error.NodeUnreachableException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.TableDef;
import io.sluice.node.NodeSettings;
import io.sluice.node.StorageNode;
import io.sluice.sql.SqlEngine;
import io.sluice.sql.SqlSettings;
import io.sluice.testing.Await;
import io.sluice.testing.TestSsts;
import io.sluice.testing.TestTables;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Appends to a table on two served nodes, whose log is in this test: an entry is applied on both nodes at once, or some
 * of them fail. Repairs of that table, too.
 */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class AppendInClusterTest {
    private static final int ROWS = 40;
    private static final int ALL = 60;
    /** Tries of a client to write an entry. */
    private static final int MOST_TRIES = 12;

    @TempDir
    Path directory;

    private final List<StorageNode> nodes = new ArrayList<>();
    private final List<AutoCloseable> open = new ArrayList<>();
    private final List<String> urls = new ArrayList<>();
    private final Map<Integer, ClusterChange.Freeze> frozen = new HashMap<>();
    private final List<ClusterChange.Published> published = new ArrayList<>();
    /** Receives a change before the nodes apply it, and returns whether its answer is lost. */
    private volatile Function<ClusterChange, Boolean> onChange = change -> false;

    private long index;

    @BeforeEach
    void start() throws Exception {
        Membership member = (Membership) Proxy.newProxyInstance(
                Membership.class.getClassLoader(),
                new Class<?>[] {Membership.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "outdated", "publisher" -> null;
                    case "cluster" -> cluster();
                    case "seen", "unreported" -> 0L;
                    case "dropped", "joining" -> false;
                    case "catchUp" -> true;
                    case "change" -> change((ClusterChange) arguments[0]);
                    default -> throw new UnsupportedOperationException(method.getName());
                });
        for (int i = 0; i < 2; i++) {
            StorageNode node = StorageNode.open(directory.resolve("node" + i), NodeSettings.defaults());
            SqlEngine sql = SqlEngine.on(node, SqlSettings.defaults());
            NodeServer server = NodeServer.start(
                    node,
                    sql,
                    new HttpSettings(ServedNode.loopback(), null, null),
                    NodeLimits.defaults(),
                    HttpPeers.onThisMachine(),
                    member);
            nodes.add(node);
            urls.add(server.url());
            open.addAll(List.of(server, sql, node));
        }
        try (Cluster cluster = new Cluster(clients(UnaryOperator.identity()), 2)) {
            TestSsts.importTable(cluster, TestTables.customers(), TestTables.customerRows(ROWS), directory);
        }
    }

    @Test
    void importOfAClientThatDoesNotKnowTheClusterIsRefused() {
        TableDef table =
                Ddl.parse("CREATE TABLE alone (id INT8 PRIMARY KEY);", "test").get(0);
        try (RemoteNode node = new RemoteNode(RemoteSettings.of(urls.get(0)))) {
            BadInputException refused = assertThrows(
                    BadInputException.class,
                    () -> node.beginImport(new ImportRequest(table, IngestTiming.AT_END, UUID.randomUUID(), 0)));
            assertTrue(String.valueOf(refused.getMessage()).contains("is a member of a cluster"), refused.getMessage());
        }
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
    }

    private ClusterBody cluster() {
        List<ClusterBody.Member> members = new ArrayList<>();
        for (int i = 0; i < urls.size(); i++) {
            String url = urls.get(i);
            members.add(new ClusterBody.Member(nodes.get(i).status().id(), "n" + i, url, "127.0.0.1:" + (i + 1)));
        }
        return new ClusterBody(
                "c", members.get(0).id(), members.get(0).id(), index, members, List.of(), List.of(), List.of());
    }

    /** Applies an entry as the members of a cluster do. */
    private synchronized ClusterBody change(ClusterChange change) {
        boolean lost = onChange.apply(change);
        boolean repeated =
                published.containsAll(change.published()) && !change.published().isEmpty();
        if (!repeated
                && !frozen.values().containsAll(change.thawed())
                && !change.published().isEmpty()) {
            throw new ChangeRefusedException("the copy took too long");
        }
        index++;
        for (StorageNode node : repeated ? List.<StorageNode>of() : nodes) {
            change.published()
                    .forEach(each ->
                            node.publishDecided(each.importId(), each.tableId(), ChecksumBody.toSums(each.sums())));
            change.tables().forEach(each -> node.catalog()
                    .move(each.tableId(), each.directory().toDirectory(), ChecksumBody.toSums(each.published())));
        }
        published.addAll(change.published());
        change.frozen().forEach(freeze -> frozen.put(freeze.tableId(), freeze));
        change.thawed().forEach(freeze -> frozen.remove(freeze.tableId(), freeze));
        Map<Integer, String> owners = new HashMap<>();
        frozen.forEach((table, freeze) -> owners.put(table, freeze.owner()));
        nodes.forEach(node -> node.catalog().freeze(index, owners));
        if (lost) {
            throw new IllegalStateException("the answer is lost");
        }
        return cluster();
    }

    private Map<String, NodeClient> clients(UnaryOperator<NodeClient> wrapped) {
        Map<String, NodeClient> clients = new LinkedHashMap<>();
        for (String url : urls) {
            RemoteSettings settings = RemoteSettings.of(url).withPatience(2_000, 5_000);
            clients.put(settings.name(), wrapped.apply(new RemoteNode(settings)));
        }
        return clients;
    }

    private Cluster appending(UnaryOperator<NodeClient> wrapped) {
        return new Cluster(clients(wrapped), 2, new ClusterLog(cluster(), RemoteSettings::of), 0);
    }

    private ImportSession shipped(Cluster cluster) throws Exception {
        return shipped(
                cluster, TestTables.customers(), TestTables.customerRows(ALL).subList(ROWS, ALL));
    }

    private ImportSession shipped(Cluster cluster, TableDef table, List<List<@Nullable String>> rows) throws Exception {
        ImportSession session = cluster.beginImport(ImportRequest.append(table));
        TestSsts.shipAll(session, rows, directory);
        session.finalizeIngest();
        return session;
    }

    /**
     * Begins an import. A node that came to an earlier begin after its client was gone undoes that one after 5 s; other
     * leftovers end with their lease, which is longer than this waits.
     */
    private static ImportSession begun(Cluster cluster, ImportRequest request) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (true) {
            try {
                return cluster.beginImport(request);
            } catch (OperationFailedException e) {
                if (System.nanoTime() - end > 0) {
                    throw e;
                }
                TimeUnit.MILLISECONDS.sleep(100);
            }
        }
    }

    private static void publish(ImportSession session) {
        AppendSession append = Objects.requireNonNull(session.append());
        session.publish(append.checkOverlap(1).after());
    }

    private void assertRows(int rows) {
        for (StorageNode node : nodes) {
            TableStatus table = Objects.requireNonNull(node.table("customers"));
            assertEquals(rows, table.rows());
        }
    }

    /** Lets a call of a client reach its node, and then waits as for an answer. */
    private static NodeClient losing(NodeClient client, String method, Semaphore reached) {
        return (NodeClient) Proxy.newProxyInstance(
                NodeClient.class.getClassLoader(), new Class<?>[] {NodeClient.class}, (proxy, called, arguments) -> {
                    Object result;
                    try {
                        result = called.invoke(client, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                    if (called.getName().equals(method) && reached.tryAcquire()) {
                        try {
                            new CountDownLatch(1).await();
                        } catch (InterruptedException e) {
                            throw new OperationFailedException("interrupted while the node was asked", e);
                        }
                    }
                    return result;
                });
    }

    /** Begins an import on another thread, and interrupts that one while it waits for a node that has begun it. */
    private static void interruptBegin(Cluster cluster, ImportRequest request, Semaphore waits) throws Exception {
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        Thread beginning = new Thread(() -> {
            try {
                ImportSession unused = cluster.beginImport(request);
                interrupted.complete(false);
            } catch (OperationFailedException e) {
                interrupted.complete(Thread.currentThread().isInterrupted());
            }
        });
        beginning.start();
        Await.until(() -> waits.availablePermits() == 0, () -> "the import does not begin");
        beginning.interrupt();
        assertTrue(interrupted.get(30, TimeUnit.SECONDS));
    }

    @Test
    @Timeout(60)
    void beginThatIsInterruptedLeavesTheTableFree() throws Exception {
        Semaphore waits = new Semaphore(1);
        try (Cluster cluster = appending(client -> losing(client, "beginImport", waits))) {
            interruptBegin(cluster, ImportRequest.append(TestTables.customers()), waits);
        }
        try (Cluster cluster = appending(UnaryOperator.identity())) {
            begun(cluster, ImportRequest.append(TestTables.customers())).close();
            try (ImportSession session = shipped(cluster)) {
                publish(session);
            }
        }
        assertRows(ALL);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Timeout(60)
    void beginOfATableThatIsInterruptedLeavesItsNameFree(boolean named) throws Exception {
        Semaphore waits = new Semaphore(1);
        ImportRequest request = ImportRequest.of(TestTables.accounts("accounts"), IngestTiming.AT_END);
        try (Cluster cluster = new Cluster(clients(client -> losing(client, "beginImport", waits)), 2)) {
            interruptBegin(cluster, named ? request.withImportId(UUID.randomUUID()) : request, waits);
        }
        try (Cluster cluster = new Cluster(clients(UnaryOperator.identity()), 2);
                ImportSession session = begun(cluster, request)) {
            assertEquals(2, session.nodes());
        }
    }

    @Test
    @Timeout(60)
    void beginThatIsInterruptedKeepsTheWorkOfAnEarlierAttempt() throws Exception {
        ImportRequest request = ImportRequest.of(TestTables.accounts("accounts"), IngestTiming.AT_END)
                .withImportId(UUID.randomUUID());
        try (Cluster cluster = new Cluster(clients(UnaryOperator.identity()), 2)) {
            ImportSession session = cluster.beginImport(request);
            session.putCheckpoint("job", new byte[] {1});
            session.detach();
        }
        Semaphore waits = new Semaphore(2);
        try (Cluster cluster = new Cluster(clients(client -> losing(client, "beginImport", waits)), 2)) {
            interruptBegin(cluster, request, waits);
        }
        try (Cluster cluster = new Cluster(clients(UnaryOperator.identity()), 2);
                ImportSession session = cluster.beginImport(request)) {
            assertEquals(Set.of("job"), session.checkpoints().keySet());
        }
    }

    /** A session that fails at the end of the publication. */
    private static ImportSession failing(ImportSession session) {
        return (ImportSession) Proxy.newProxyInstance(
                ImportSession.class.getClassLoader(),
                new Class<?>[] {ImportSession.class},
                (proxy, called, arguments) -> {
                    if (called.getName().equals("publish")) {
                        throw new OperationFailedException("the answer cannot be read");
                    }
                    try {
                        return called.invoke(session, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static NodeClient failing(NodeClient client) {
        return (NodeClient) Proxy.newProxyInstance(
                NodeClient.class.getClassLoader(), new Class<?>[] {NodeClient.class}, (proxy, called, arguments) -> {
                    try {
                        Object result = called.invoke(client, arguments);
                        return result instanceof ImportSession session ? failing(session) : result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Test
    @Timeout(60)
    void publicationThatIsDecidedDoesNotFail() throws Exception {
        try (Cluster cluster = appending(AppendInClusterTest::failing);
                ImportSession session = shipped(cluster)) {
            publish(session);
            assertEquals(2, session.warnings().size());
            String warning = session.warnings().get(0);
            assertTrue(warning.startsWith("the rows are published; node n"), warning);
            assertTrue(warning.endsWith("publishes: the answer cannot be read"), warning);
        }
        assertRows(ALL);
    }

    /** The log takes the entry, and each answer of it is lost, as long as the append waits for one. */
    @Test
    @Timeout(120)
    void publicationWhoseAnswerIsLostIsFound() throws Exception {
        AtomicInteger tries = new AtomicInteger();
        onChange = change -> !change.published().isEmpty() && tries.incrementAndGet() <= MOST_TRIES;
        try (Cluster cluster = appending(AppendInClusterTest::failing);
                ImportSession session = shipped(cluster)) {
            publish(session);
        }
        assertEquals(MOST_TRIES + 1, tries.get());
        assertRows(ALL);
    }

    @Test
    @Timeout(120)
    void publicationAfterTheEndOfItsFreezeAddsNothing() throws Exception {
        onChange = change -> {
            if (!change.published().isEmpty()) {
                frozen.clear();
            }
            return false;
        };
        try (Cluster cluster = appending(UnaryOperator.identity());
                ImportSession session = shipped(cluster)) {
            OperationFailedException refused = assertThrows(OperationFailedException.class, () -> publish(session));
            assertTrue(
                    String.valueOf(refused.getMessage()).startsWith("rows were not added to table customers: "),
                    refused.getMessage());
        }
        assertRows(ROWS);
    }

    /** The effects of a command, whose limit of the rate would wait each time. */
    private class Operator implements Repair.Effects {
        final List<String> lines = new ArrayList<>();
        long passed;

        @Override
        public String command() {
            return "cluster repair";
        }

        @Override
        public void change(ClusterChange change) {
            ClusterBody unused = AppendInClusterTest.this.change(change);
        }

        @Override
        public void passing(long bytes) {
            assertEquals(Map.of(), frozen);
            passed += bytes;
        }

        @Override
        public void copied(ReplicaPlan.Copy copy) {}

        @Override
        public void log(String line) {
            lines.add(line);
        }

        @Override
        public String address(String node) {
            return RemoteSettings.of(urls.get(ids().indexOf(node))).name();
        }

        @Override
        public String described(String node) {
            return "n" + ids().indexOf(node);
        }
    }

    /** A node dies when the repair wants to know the address of a node. */
    private final class Dying extends Operator {
        private final String asked;
        private final int victim;

        Dying(String asked, int victim) {
            this.asked = asked;
            this.victim = victim;
        }

        @Override
        public void change(ClusterChange change) {
            throw new AssertionError("nothing can be copied");
        }

        @Override
        public String address(String node) {
            if (node.equals(asked) && lines.isEmpty()) {
                ((NodeServer) open.get(3 * victim)).close();
            }
            return super.address(node);
        }
    }

    private Map<String, RemoteNode> clientsById() {
        Map<String, RemoteNode> clients = new HashMap<>();
        for (int i = 0; i < 2; i++) {
            clients.put(
                    ids().get(i), new RemoteNode(RemoteSettings.of(urls.get(i)).withPatience(2_000, 5_000)));
        }
        return clients;
    }

    private List<String> ids() {
        return nodes.stream().map(node -> node.status().id()).toList();
    }

    /** A node has answered, and dies before the next question: for its tables, or for the sizes of their ranges. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Timeout(60)
    void repairAndRebalanceGoOnWithoutANodeThatDies(boolean early) throws Exception {
        try (Cluster cluster = new Cluster(clients(UnaryOperator.identity()), 2)) {
            // Its first replica is on the other node, so that each node must tell sizes.
            TestSsts.importTable(cluster, TestTables.accounts("accounts"), TestTables.accountRows(ROWS), directory);
        }
        List<String> sorted = ids().stream().sorted().toList();
        Map<String, RemoteNode> clients = clientsById();
        Dying effects = new Dying(sorted.get(early ? 0 : 1), ids().indexOf(sorted.get(0)));
        String lost = "n" + ids().indexOf(sorted.get(0));
        if (early) {
            Repair.Outcome outcome = new Repair(clients, effects).run(null, 0, null, null);
            assertEquals(Map.of(), outcome.copied());
            assertEquals(List.of("node " + lost + " does not answer any more; it is left out"), effects.lines);
        } else {
            assertEquals(List.of(), new Rebalancing(clients, effects).plan(0).moves());
            assertEquals(1, effects.lines.size());
            assertTrue(effects.lines.get(0).endsWith(" does not answer any more; it is left out"));
        }
        clients.values().forEach(RemoteNode::close);
    }

    /** Writes a row again that a node has. */
    private static void commit(RemoteNode node, TableStatus table) {
        KvPage first = node.replica(node.status().id(), table, "reader").page(KeySpan.ALL, 1, false);
        Participant participant = node.participant();
        UUID snapshot = participant.read(ReadRequest.NOTHING).snapshot();
        TableChanges change = new TableChanges(table.table().id(), first.keys(), first.values());
        participant.commit(new Changes(snapshot, List.of(change), List.of(), List.of(), null), List.of());
    }

    @Test
    @Timeout(60)
    void noFreezeWaitsForTheRateOfACopy() throws Exception {
        try (Cluster cluster = new Cluster(clients(UnaryOperator.identity()), 1)) {
            TestSsts.importTable(cluster, TestTables.accounts("accounts"), TestTables.accountRows(ROWS), directory);
        }
        Map<String, RemoteNode> clients = clientsById();
        AtomicInteger written = new AtomicInteger();
        onChange = change -> {
            if (!change.frozen().isEmpty() && written.getAndIncrement() == 0) {
                clients.values().forEach(node -> commit(node, Objects.requireNonNull(node.table("accounts"))));
            }
            return false;
        };
        Operator effects = new Operator();
        Repair.Outcome outcome = new Repair(clients, effects).run("accounts", 2, null, null);
        assertEquals(Set.of("accounts"), outcome.copied().keySet());
        assertEquals(List.of(), effects.lines);
        assertTrue(written.get() > 0 && effects.passed > 0);
        clients.values().forEach(RemoteNode::close);
    }

    @Test
    @Timeout(60)
    void noFreezeWaitsForTheRateOfAComparison() {
        Map<String, RemoteNode> clients = clientsById();
        RemoteNode damaged = Objects.requireNonNull(clients.get(ids().get(1)));
        TableStatus table = Objects.requireNonNull(damaged.table("customers"));
        Operator effects = new Operator();
        ClusterChange.Freeze freeze = new ClusterChange.Freeze(
                table.table().id(), "damage", table.directory().epoch());
        effects.change(ClusterChange.freezing(freeze));
        RemoteReplica replica = damaged.replica(ids().get(1), table, "damage");
        replica.begin();
        KvPage first = replica.page(KeySpan.ALL, 1, false);
        List<KvChecksum> unused = replica.replace(
                new KeySpan(first.keys().get(0), first.end()),
                new KvPage(first.end(), List.of(KvChecksum.EMPTY), List.of(), List.of()));
        replica.end();
        effects.change(ClusterChange.thawing(freeze));
        Repair.Verified verified =
                new Repair(clients, effects).verify(null, true, ids().get(0)).get(0);
        assertEquals(1, verified.differences().size());
        assertTrue(verified.whole(), verified.toString());
        assertTrue(effects.passed > 0);
        clients.values().forEach(RemoteNode::close);
    }

    /** A client whose scan fails after some rows, unless another one has failed: as when the node dies. */
    private static NodeClient dying(NodeClient client, int rows, AtomicInteger deaths) {
        return (NodeClient) Proxy.newProxyInstance(
                NodeClient.class.getClassLoader(), new Class<?>[] {NodeClient.class}, (proxy, called, arguments) -> {
                    try {
                        Object result = called.invoke(client, arguments);
                        return result instanceof RowCursor cursor ? dying(cursor, rows, deaths) : result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static RowCursor dying(RowCursor cursor, int rows, AtomicInteger deaths) {
        AtomicInteger left = new AtomicInteger(rows);
        return new RowCursor() {
            @Override
            public @Nullable List<@Nullable String> next() {
                if (left.getAndDecrement() <= 0 && deaths.compareAndSet(0, 1)) {
                    throw new NodeUnreachableException("n", "n does not answer", new IllegalStateException());
                }
                return cursor.next();
            }

            @Override
            public void close() {
                cursor.close();
            }
        };
    }

    /** Rows are inserted before the last one that was read, in the order of the index, and then its node dies. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "INDEX by_n (n)",
                "INDEX by_n (n DESC)",
                "INDEX by_n (n) STORING (s), FAMILY (id, n), FAMILY (s)",
                "UNIQUE INDEX by_n (n)",
                "UNIQUE INDEX by_n (n, s), FAMILY (id, n), FAMILY (s)",
            })
    @Timeout(60)
    void scanOfAnIndexGoesOnAfterTheLastEntry(String index) throws Exception {
        TableDef table = Ddl.parse("CREATE TABLE t (id INT PRIMARY KEY, n INT, s STRING, " + index + ")", "test")
                .get(0);
        boolean descending = index.contains("DESC");
        int added = descending ? ROWS : -ROWS;
        try (Cluster cluster = new Cluster(clients(UnaryOperator.identity()), 2)) {
            TestSsts.importTable(cluster, table, numbered(0, ROWS), directory);
        }
        AtomicInteger deaths = new AtomicInteger();
        List<String> found = new ArrayList<>();
        try (Cluster dying = new Cluster(clients(client -> dying(client, 7, deaths)), 2);
                RowCursor keys = dying.scan(
                        new ScanRequest("t", "by_n", List.of(), List.of(), Long.MAX_VALUE, null, Content.KEY))) {
            for (List<@Nullable String> row = keys.next(); row != null; row = keys.next()) {
                assertEquals(1, row.size());
                found.add(row.get(0));
                if (found.size() == 5) {
                    try (Cluster cluster = appending(UnaryOperator.identity());
                            ImportSession session = shipped(cluster, table, numbered(added, added + ROWS))) {
                        publish(session);
                    }
                }
            }
        }
        List<String> wanted = new ArrayList<>();
        for (int i = 0; i < ROWS; i++) {
            wanted.add("" + (descending ? ROWS - 1 - i : i));
        }
        assertEquals(1, deaths.get());
        assertEquals(wanted, found);
    }

    private static List<List<@Nullable String>> numbered(int from, int to) {
        List<List<@Nullable String>> rows = new ArrayList<>();
        for (int i = from; i < to; i++) {
            rows.add(List.of("" + i, "" + i, "s"));
        }
        return rows;
    }
}
