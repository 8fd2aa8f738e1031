package io.sluice.cli.cluster;

import io.sluice.api.node.NodeStatus;
import io.sluice.api.wire.ClusterBody;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.Json;
import io.sluice.cli.output.Output;
import io.sluice.cli.output.TextTable;
import io.sluice.cli.remote.RemoteOptions;
import io.sluice.client.RemoteNode;
import io.sluice.client.cluster.Cluster;
import io.sluice.client.cluster.TableReplicas;
import io.sluice.model.error.NodeUnreachableException;
import io.sluice.model.error.SluiceException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice cluster status}: lists the nodes of a cluster and the tables that are short of replicas. */
@Command(
        name = "status",
        description = {
            "List the nodes of the cluster to which the given nodes belong, whether each answers, its version of Sluice,"
                    + " and the tables that are short of replicas.",
            "'missing' replicas are on no node: 'sluice cluster repair' copies them. With --json all tables are listed."
        })
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
        Set<String> up = new HashSet<>();
        status.forEach((id, answer) -> {
            if (answer != null) {
                up.add(id);
            }
        });
        List<TableReplicas> tables;
        try (Cluster all = nodes.named().forReads()) {
            tables = all.replicas(up);
        }
        try (Output out = console.output()) {
            if (json) {
                out.line(json(cluster, status, tables));
            } else {
                table(cluster, status).lines().forEach(out::line);
                print(tables, out);
            }
        }
        return 0;
    }

    private static void print(List<TableReplicas> tables, Output out) {
        List<TableReplicas> lacking =
                tables.stream().filter(table -> !table.complete()).toList();
        out.line("");
        if (lacking.isEmpty()) {
            out.line(tables.isEmpty() ? "no tables" : "all replicas of all tables (" + tables.size() + ") are up");
            return;
        }
        TextTable text = new TextTable("TABLE", "RANGES", "REPLICAS", "MISSING", "DOWN", "UNREADABLE RANGES");
        lacking.forEach(table -> text.row(
                table.table(),
                Integer.toString(table.ranges()),
                Integer.toString(table.replicas()),
                Integer.toString(table.missing()),
                Integer.toString(table.down()),
                Integer.toString(table.unreadable())));
        text.lines().forEach(out::line);
    }

    private @Nullable NodeStatus status(ClusterBody.Member member) {
        try (RemoteNode node = new RemoteNode(nodes.settings(member.url()).withPatience(PROBE_MILLIS, PROBE_MILLIS))) {
            NodeStatus status = node.status();
            return status.id().equals(member.id()) ? status : null;
        } catch (NodeUnreachableException e) {
            return null;
        } catch (SluiceException e) {
            console.err().println(e.getMessage());
            return null;
        }
    }

    private static TextTable table(ClusterBody cluster, Map<String, @Nullable NodeStatus> status) {
        TextTable table = new TextTable("NAME", "ADDRESS", "STATE", "ROLE", "VERSION", "ID");
        for (ClusterBody.Member member : cluster.members()) {
            NodeStatus answer = status.get(member.id());
            table.row(
                    member.name(),
                    member.url(),
                    answer == null ? "down" : "up",
                    cluster.role(member),
                    answer == null ? "" : answer.version(),
                    member.id());
        }
        return table;
    }

    private static String json(
            ClusterBody cluster, Map<String, @Nullable NodeStatus> status, List<TableReplicas> tables) {
        return Json.object(out -> {
            out.writeStringField("id", cluster.id());
            out.writeStringField("leader", cluster.leader());
            out.writeNumberField("applied", cluster.applied());
            Json.objects(out, "members", cluster.members(), member -> {
                out.writeStringField("id", member.id());
                out.writeStringField("name", member.name());
                out.writeStringField("url", member.url());
                out.writeStringField("raft", member.raft());
                NodeStatus answer = status.get(member.id());
                out.writeStringField("state", answer == null ? "down" : "up");
                out.writeStringField("role", cluster.role(member));
                if (answer != null) {
                    out.writeStringField("version", answer.version());
                }
            });
            Json.objects(out, "tables", tables, table -> {
                out.writeStringField("table", table.table());
                out.writeNumberField("ranges", table.ranges());
                out.writeNumberField("replicas", table.replicas());
                out.writeNumberField("missing", table.missing());
                out.writeNumberField("down", table.down());
                out.writeNumberField("unreadableRanges", table.unreadable());
            });
        });
    }
}
