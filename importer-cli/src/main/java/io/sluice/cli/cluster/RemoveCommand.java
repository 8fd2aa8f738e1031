package io.sluice.cli.cluster;

import io.sluice.api.wire.ClusterBody;
import io.sluice.api.wire.ClusterChange;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.Output;
import io.sluice.cli.remote.RemoteOptions;
import io.sluice.client.RemoteNode;
import io.sluice.client.cluster.Cluster;
import io.sluice.model.error.Backoff;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.SluiceException;
import java.util.LinkedHashSet;
import java.util.List;
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
    private static final Backoff BACKOFF = new Backoff(200, 2_000, 20);

    private final Console console;

    @Parameters(paramLabel = "NODE", arity = "1..*", description = "Name, address or id of a node.")
    List<String> leaving;

    @Mixin
    RemoteOptions nodes;

    public RemoveCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws InterruptedException {
        ClusterBody cluster = nodes.requireCluster();
        Set<ClusterBody.Member> found = new LinkedHashSet<>();
        leaving.forEach(name -> found.add(member(cluster, name)));
        if (found.size() == cluster.members().size()) {
            throw new BadInputException("these are all nodes of the cluster; at least one must stay");
        }
        Set<String> ids = new LinkedHashSet<>();
        found.forEach(member -> ids.add(member.id()));
        List<ClusterChange.Moved> moved;
        try (Cluster all = nodes.open()) {
            moved = all.without(ids);
        }
        change(cluster, new ClusterChange(null, List.copyOf(ids), moved));
        try (Output out = console.output()) {
            found.forEach(member -> out.line("removed " + member.name() + " (" + member.url() + ")"));
            out.line(moved.size() + (moved.size() == 1 ? " table has" : " tables have") + " fewer replicas");
        }
        return 0;
    }

    private static ClusterBody.Member member(ClusterBody cluster, String name) {
        return cluster.members().stream()
                .filter(member -> member.name().equals(name)
                        || member.id().equals(name)
                        || member.url().endsWith("//" + name))
                .findFirst()
                .orElseThrow(() -> new BadInputException("the cluster has no node " + name + "; it has "
                        + String.join(
                                ", ",
                                cluster.members().stream()
                                        .map(ClusterBody.Member::name)
                                        .toList())));
    }

    /** Asks the leader; while nodes elect one, or another takes over, asks again. */
    private void change(ClusterBody known, ClusterChange change) throws InterruptedException {
        ClusterBody cluster = known;
        SluiceException last = new OperationFailedException("the cluster has no leader; most of its nodes must be up");
        for (int tries = 1; tries <= BACKOFF.attempts(); tries++) {
            ClusterBody.Member leader = cluster.leading();
            if (leader != null) {
                try (RemoteNode node = new RemoteNode(nodes.settings(leader.url()))) {
                    ClusterBody unused = node.change(change);
                    return;
                } catch (BadInputException e) {
                    throw e;
                } catch (SluiceException e) {
                    last = e;
                }
            }
            Thread.sleep(BACKOFF.jitteredMillis(tries));
            cluster = nodes.askAgain();
        }
        throw last;
    }
}
