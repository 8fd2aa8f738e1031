package io.sluice.node.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.TableStatus;
import io.sluice.api.wire.ApiPaths;
import io.sluice.client.RemoteNode;
import io.sluice.client.RemoteSettings;
import io.sluice.http.HttpSettings;
import io.sluice.node.NodeSettings;
import io.sluice.node.StorageNode;
import io.sluice.sql.SqlEngine;
import io.sluice.sql.SqlSettings;
import io.sluice.testing.MovableClock;
import io.sluice.testing.TestTables;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A member of a cluster that has no contact to most others. */
class MemberWithoutContactTest {
    private static final UUID IMPORT = new UUID(1, 2);
    private static final UUID PUBLISHER = new UUID(3, 4);

    private static Membership member(AtomicReference<@Nullable String> outdated) {
        return (Membership) Proxy.newProxyInstance(
                Membership.class.getClassLoader(),
                new Class<?>[] {Membership.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "outdated" -> outdated.get();
                    case "cluster" -> null;
                    case "seen", "unreported" -> 0L;
                    case "dropped", "joining" -> false;
                    case "publisher" -> PUBLISHER;
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

    private static NodeServer serve(StorageNode node, SqlEngine sql, Membership member) {
        return NodeServer.start(
                node,
                sql,
                new HttpSettings(ServedNode.loopback(), null, null),
                NodeLimits.defaults(),
                HttpPeers.onThisMachine(),
                member);
    }

    /** It was begun on this node only, so another import has the same table id. */
    @Test
    void unfinishedImportWithTheIdOfAPublishedTableDoesNotKeepItsReplicaAway(@TempDir Path directory) {
        ImportRequest request = new ImportRequest(TestTables.accounts("there"), IngestTiming.AT_END, PUBLISHER, 7);
        try (StorageNode node = StorageNode.open(directory.resolve("here"), NodeSettings.defaults());
                StorageNode other = StorageNode.open(directory.resolve("there"), NodeSettings.defaults());
                SqlEngine sql = SqlEngine.on(node, SqlSettings.defaults());
                NodeServer server = serve(node, sql, member(new AtomicReference<>(null)));
                RemoteNode remote = new RemoteNode(RemoteSettings.of(server.url()))) {
            ImportSession published = other.beginImport(request);
            published.finalizeIngest();
            published.publish(published.present());
            node.beginImport(new ImportRequest(TestTables.customers(), IngestTiming.AT_END, IMPORT, 7));
            TableStatus status = Objects.requireNonNull(other.table("there"));
            remote.replica(node.status().id(), status, "repair").begin();
            assertNull(node.session(IMPORT));
            assertEquals(7, node.catalog().require("there").table().id());
        }
    }

    /** A client would take it for a node alone, and import into it. */
    @Test
    void memberThatDoesNotKnowItsClusterYetSaysSo(@TempDir Path directory) throws Exception {
        AtomicReference<@Nullable String> outdated = new AtomicReference<>("no contact");
        try (StorageNode node = StorageNode.open(directory, NodeSettings.defaults());
                SqlEngine sql = SqlEngine.on(node, SqlSettings.defaults());
                NodeServer server = serve(node, sql, member(outdated))) {
            HttpRequest request = HttpRequest.newBuilder(URI.create(server.url() + ApiPaths.CLUSTER))
                    .build();
            HttpClient client = HttpClient.newHttpClient();
            assertEquals(
                    503,
                    client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode());
            outdated.set(null);
            assertEquals(
                    404,
                    client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode());
        }
    }

    /** An entry of the log that has published it may be one of those that it lacks. */
    @Test
    void importIsKeptWhileTheNodeLacksContact(@TempDir Path directory) {
        AtomicReference<@Nullable String> outdated = new AtomicReference<>("no contact");
        MovableClock clock = new MovableClock();
        try (StorageNode node =
                StorageNode.open(directory, NodeSettings.defaults().withClock(clock))) {
            node.beginImport(new ImportRequest(TestTables.customers(), IngestTiming.AT_END, IMPORT, 0));
            clock.move(Duration.ofHours(25));
            NodeServer.removeExpired(node, member(outdated));
            assertNotNull(node.session(IMPORT));
            outdated.set(null);
            NodeServer.removeExpired(node, member(outdated));
            assertNull(node.session(IMPORT));
        }
    }
}
