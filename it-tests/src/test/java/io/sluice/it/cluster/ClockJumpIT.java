package io.sluice.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.NodeClient;
import io.sluice.api.transaction.Changes;
import io.sluice.api.transaction.ReadRequest;
import io.sluice.client.RemoteNode;
import io.sluice.client.RemoteParticipant;
import io.sluice.client.RemoteSettings;
import io.sluice.client.cluster.NamedNodes;
import io.sluice.it.support.ClusterProcesses;
import io.sluice.it.support.Imports;
import io.sluice.it.support.NodeClocks;
import io.sluice.model.schema.TableDef;
import io.sluice.testing.Await;
import io.sluice.testing.TestSsts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests a node whose calendar clock jumps by an hour: nothing that it waits for ends early or late. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class ClockJumpIT {
    private static final TableDef TABLE = Imports.table("CREATE TABLE t (id INT8 PRIMARY KEY, n INT8);");
    private static final long WAIT_SECONDS = 40;

    @TempDir
    Path directory;

    private ClusterProcesses cluster;
    private NodeClocks clocks;

    @AfterEach
    void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    private void jumpTo(Duration ahead) throws Exception {
        clocks.set(0, ahead, 1);
        Await.until(
                () -> Duration.between(Instant.now().plus(ahead), cluster.clock(0))
                                .abs()
                                .toSeconds()
                        <= 60,
                () -> "the clock is not " + ahead + " ahead");
    }

    /** Prepares a branch that no client decides. */
    private static void prepare(RemoteParticipant node) {
        UUID snapshot = node.read(ReadRequest.NOTHING).snapshot();
        node.prepare(snapshot, null, new Changes(snapshot, List.of(), List.of(), List.of(), null));
    }

    private static void awaitNoneInDoubt(RemoteNode node, String when) throws Exception {
        Await.until(() -> node.inDoubt().isEmpty(), () -> when + ": " + node.inDoubt());
    }

    @Test
    void jumpEndsNoLeaseAndDelaysNoDecision() throws Exception {
        assumeTrue(NodeClocks.lacks().isEmpty(), NodeClocks.lacks());
        clocks = NodeClocks.make(directory);
        cluster = new ClusterProcesses(directory, 1);
        cluster.setClocks(clocks);
        cluster.launchAll();
        NamedNodes named = new NamedNodes(List.of(cluster.address(0)), RemoteSettings::of);
        try (RemoteNode node = cluster.node(0).client();
                NodeClient whole = named.forImport(named.settings(), null, TimeUnit.SECONDS.toMillis(WAIT_SECONDS))) {
            List<IndexChecksum> unused = TestSsts.importTable(
                    whole,
                    TABLE,
                    List.of(List.of("1", "1"), List.of("2", "2")),
                    Files.createDirectory(directory.resolve("rows")));
            RemoteParticipant participant = node.participant(node.status().id());
            UUID snapshot = participant.read(ReadRequest.NOTHING).snapshot();
            int id = Objects.requireNonNull(node.table("t")).table().id();
            ImportSession append = node.beginImport(
                    ImportRequest.append(TABLE).withImportId(UUID.randomUUID()).ofRanges(id));

            prepare(participant);
            jumpTo(Duration.ofHours(-1));
            awaitNoneInDoubt(node, "after the jump back");

            jumpTo(Duration.ofHours(1));
            prepare(participant);
            awaitNoneInDoubt(node, "after the jump forth");
            // Removes imports without a client, too.
            ImportRequest another =
                    ImportRequest.of(Imports.table("CREATE TABLE u (id INT8 PRIMARY KEY);"), IngestTiming.AT_END);
            node.beginImport(another.ofRanges(node.status().nextTableId())).close();

            assertEquals(
                    snapshot, participant.read(ReadRequest.NOTHING.in(snapshot)).snapshot());
            assertEquals(1, append.present().size());
            append.close();
        }
    }
}
