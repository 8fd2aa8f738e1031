package io.sluice.cli.cluster;

import io.sluice.api.node.NodeStatus;
import io.sluice.api.wire.ClusterBody;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.Json;
import io.sluice.cli.output.Output;
import io.sluice.cli.output.TextTable;
import io.sluice.cli.remote.RemoteOptions;
import io.sluice.client.RemoteNode;
import io.sluice.model.error.SluiceException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice cluster status}: lists the nodes of a cluster, and asks each whether it is up. */
@Command(
        name = "status",
        description = "List the nodes of the cluster to which the given nodes belong, and whether each answers.")
@SuppressWarnings("NullAway.Init") // picocli sets the mixin
public final class StatusCommand implements Callable<Integer> {
    private static final long PROBE_MILLIS = 2_000;

    private final Console console;

    @Mixin
    RemoteOptions nodes;

    @Option(names = "--json", description = "Print a JSON object.")
    boolean json;

    public StatusCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        ClusterBody cluster = nodes.requireCluster();
        Map<String, @Nullable NodeStatus> status = new LinkedHashMap<>();
        for (ClusterBody.Member member : cluster.members()) {
            status.put(member.id(), status(member));
        }
        try (Output out = console.output()) {
            if (json) {
                out.line(json(cluster, status));
            } else {
                table(cluster, status).lines().forEach(out::line);
            }
        }
        return 0;
    }

    private @Nullable NodeStatus status(ClusterBody.Member member) {
        try (RemoteNode node = new RemoteNode(nodes.settings(member.url()).withPatience(PROBE_MILLIS, PROBE_MILLIS))) {
            NodeStatus status = node.status();
            return status.id().equals(member.id()) ? status : null;
        } catch (SluiceException e) {
            return null;
        }
    }

    private static TextTable table(ClusterBody cluster, Map<String, @Nullable NodeStatus> status) {
        TextTable table = new TextTable("NAME", "ADDRESS", "STATE", "ROLE", "ID");
        cluster.members()
                .forEach(member -> table.row(
                        member.name(),
                        member.url(),
                        status.get(member.id()) == null ? "down" : "up",
                        member.id().equals(cluster.leader()) ? "leader" : "member",
                        member.id()));
        return table;
    }

    private static String json(ClusterBody cluster, Map<String, @Nullable NodeStatus> status) {
        return Json.object(out -> {
            out.writeStringField("id", cluster.id());
            out.writeStringField("leader", cluster.leader());
            out.writeNumberField("applied", cluster.applied());
            out.writeArrayFieldStart("members");
            for (ClusterBody.Member member : cluster.members()) {
                out.writeStartObject();
                out.writeStringField("id", member.id());
                out.writeStringField("name", member.name());
                out.writeStringField("url", member.url());
                out.writeStringField("raft", member.raft());
                out.writeStringField("state", status.get(member.id()) == null ? "down" : "up");
                out.writeEndObject();
            }
            out.writeEndArray();
        });
    }
}
