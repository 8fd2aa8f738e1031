package io.sluice.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.NodeClient;
import io.sluice.api.node.ShipAnswer;
import io.sluice.api.node.SstFile;
import io.sluice.api.wire.ChecksumBody;
import io.sluice.api.wire.ClusterBody;
import io.sluice.api.wire.ClusterChange;
import io.sluice.client.RemoteNode;
import io.sluice.client.RemoteSettings;
import io.sluice.client.cluster.Cluster;
import io.sluice.client.cluster.ClusterLog;
import io.sluice.http.HttpSettings;
import io.sluice.it.support.ClosingWith;
import io.sluice.it.support.ServedNode;
import io.sluice.model.error.ChangeRefusedException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.schema.TableDef;
import io.sluice.model.thread.Backoff;
import io.sluice.node.NodeSettings;
import io.sluice.node.StorageNode;
import io.sluice.node.http.HttpPeers;
import io.sluice.node.http.Membership;
import io.sluice.node.http.NodeLimits;
import io.sluice.node.http.NodeServer;
import io.sluice.sql.SqlEngine;
import io.sluice.sql.SqlSettings;
import io.sluice.testing.TestSsts;
import io.sluice.testing.TestTables;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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

    /** The table was changed after it, so that the log refuses the repetition of the entry. */
    @Test
    void appendWhoseAnswerWasLostIsPublished(@TempDir Path directory) throws Exception {
        TableDef table = TestTables.accounts("accounts");
        try (LoggedNodes nodes = new LoggedNodes(directory)) {
            ImportSession created = nodes.cluster.beginImport(ImportRequest.of(table, IngestTiming.AT_END));
            for (SstFile sst : TestSsts.build(created.table(), TestTables.accountRows(10), directory)) {
                assertInstanceOf(ShipAnswer.Taken.class, created.ship(sst));
            }
            created.finalizeIngest();
            created.publish(created.present());
            ImportSession session = nodes.cluster.beginImport(ImportRequest.append(table));
            for (SstFile sst :
                    TestSsts.build(session.table(), TestTables.accountRows(20).subList(10, 20), directory)) {
                assertInstanceOf(ShipAnswer.Taken.class, session.ship(sst));
            }
            session.finalizeIngest();
            List<IndexChecksum> after =
                    Objects.requireNonNull(session.append()).checkOverlap(10).after();
            nodes.answersAreLost = true;
            session.publish(after);
            assertEquals(after, nodes.cluster.digest("accounts").indexes());
        }
    }

    /** Two nodes with a log that is not replicated: its entries take effect on both at once. */
    private static final class LoggedNodes implements AutoCloseable {
        final NodeClient cluster;
        private final List<StorageNode> stores = new ArrayList<>();
        private final List<SqlEngine> engines = new ArrayList<>();
        private final List<NodeServer> servers = new ArrayList<>();
        private final Map<Integer, String> frozen = new HashMap<>();
        private long index;
        /** Whether publications of appends take effect, but not as their clients see it. */
        volatile boolean answersAreLost;

        LoggedNodes(Path directory) {
            Map<String, NodeClient> clients = new LinkedHashMap<>();
            for (int i = 0; i < 2; i++) {
                StorageNode store = StorageNode.open(directory.resolve("store" + i), NodeSettings.defaults());
                SqlEngine engine = SqlEngine.on(store, SqlSettings.defaults());
                NodeServer server = NodeServer.start(
                        store,
                        engine,
                        new HttpSettings(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), null, null),
                        NodeLimits.defaults(),
                        HttpPeers.onThisMachine(),
                        member(store));
                stores.add(store);
                engines.add(engine);
                servers.add(server);
                RemoteSettings settings = RemoteSettings.of(server.url());
                clients.put(settings.name(), new RemoteNode(settings));
            }
            cluster = new Cluster(clients, 2, new ClusterLog(body(stores.get(0)), RemoteSettings::of), 10_000);
        }

        private Membership member(StorageNode node) {
            return (Membership) Proxy.newProxyInstance(
                    Membership.class.getClassLoader(),
                    new Class<?>[] {Membership.class},
                    (proxy, method, arguments) -> switch (method.getName()) {
                        case "outdated" -> null;
                        case "cluster" -> body(node);
                        case "seen", "unreported" -> 0L;
                        case "change" -> {
                            change((ClusterChange) arguments[0]);
                            yield body(node);
                        }
                        default -> throw new UnsupportedOperationException(method.getName());
                    });
        }

        private synchronized ClusterBody body(StorageNode node) {
            List<ClusterBody.Member> members = new ArrayList<>();
            for (int i = 0; i < stores.size(); i++) {
                String id = stores.get(i).status().id();
                members.add(new ClusterBody.Member(id, "n" + i, servers.get(i).url(), "127.0.0.1:1"));
            }
            String leader = members.get(0).id();
            return new ClusterBody("c", node.status().id(), leader, index, members, List.of(), List.of(), List.of());
        }

        private synchronized void change(ClusterChange change) {
            boolean append = !change.published().isEmpty() && !change.thawed().isEmpty();
            if (append && frozen.isEmpty()) {
                throw new ChangeRefusedException("the table was given free for changes", false);
            }
            index++;
            change.frozen().forEach(freeze -> frozen.put(freeze.tableId(), freeze.owner()));
            change.thawed().forEach(freeze -> frozen.remove(freeze.tableId(), freeze.owner()));
            for (StorageNode store : stores) {
                for (ClusterChange.Published each : change.published()) {
                    String unused =
                            store.publishDecided(each.importId(), each.tableId(), ChecksumBody.toSums(each.sums()));
                }
                for (ClusterChange.Moved each : change.tables()) {
                    store.catalog()
                            .move(
                                    each.tableId(),
                                    each.directory().toDirectory(),
                                    ChecksumBody.toSums(each.published()));
                }
                store.catalog().freeze(index, frozen);
            }
            if (append && answersAreLost) {
                throw new OperationFailedException("the answer is lost");
            }
        }

        @Override
        public void close() {
            cluster.close();
            servers.forEach(NodeServer::close);
            engines.forEach(SqlEngine::close);
            stores.forEach(StorageNode::close);
        }
    }
}
