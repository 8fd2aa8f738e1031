package io.sluice.cli.cluster;

import io.sluice.api.wire.ClusterBody;
import io.sluice.api.wire.ClusterChange;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.Output;
import io.sluice.cli.remote.RemoteOptions;
import io.sluice.client.cluster.Cluster;
import io.sluice.client.cluster.Repair;
import io.sluice.model.error.BadInputException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code sluice cluster remove}: lets the other nodes go on without one. */
@Command(
        name = "remove",
        description = {
            "Remove nodes from the cluster, whether they run or not.",
            "Tables stay on their other replicas; a node with the only replica of a key range is not removed. A node"
                    + " that runs ends; its store cannot be used in the cluster again."
        })
@SuppressWarnings("NullAway.Init") // picocli sets what is required
public final class RemoveCommand implements Callable<Integer> {
    private final Console console;

    @Parameters(paramLabel = "NODE", arity = "1..*", description = "Name, address or id of a node.")
    List<String> leaving;

    @Mixin
    RemoteOptions nodes;

    public RemoveCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        try (ClusterAccess cluster = new ClusterAccess("cluster remove", nodes, console, 0)) {
            Set<ClusterBody.Member> found = new LinkedHashSet<>();
            leaving.forEach(name -> found.add(cluster.member(name)));
            remove(cluster, nodes, console, found);
        }
        return 0;
    }

    static void ensureOthersStay(ClusterAccess cluster, Set<ClusterBody.Member> leaving) {
        if (leaving.size() == cluster.cluster().members().size()) {
            throw new BadInputException("these are all nodes of the cluster; at least one must stay");
        }
    }

    /** Removes members, and prints what was done. */
    static void remove(ClusterAccess cluster, RemoteOptions nodes, Console console, Set<ClusterBody.Member> leaving) {
        ensureOthersStay(cluster, leaving);
        Set<String> ids = new LinkedHashSet<>();
        leaving.forEach(member -> ids.add(member.id()));
        ClusterChange change = new Repair(Map.of(), cluster).write(() -> {
            long seen = nodes.requireCluster().applied();
            try (Cluster all = nodes.named().forReads()) {
                return ClusterChange.removing(ids, all.without(ids), seen);
            }
        });
        try (Output out = console.output()) {
            leaving.forEach(member -> out.line("removed " + member.name() + " (" + member.url() + ")"));
            // A drain has copied the replicas before.
            long fewer = Objects.requireNonNull(change).tables().stream()
                    .filter(table -> table.directory().toDirectory().missing() > 0)
                    .count();
            out.line(fewer + (fewer == 1 ? " table has" : " tables have") + " fewer replicas");
        }
    }
}
