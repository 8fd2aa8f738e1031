package io.sluice.cli.cluster;

import io.sluice.api.wire.ClusterBody;
import io.sluice.cli.output.Console;
import io.sluice.cli.remote.RemoteOptions;
import io.sluice.model.error.BadInputException;
import io.sluice.model.thread.Backoff;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sluice cluster add}: gives a new node its share of the data. */
@Command(
        name = "add",
        description = {
            "Wait until a node that was started with --cluster has joined, and give it its share of the data.",
            "Copies replicas that are missing, as 'sluice cluster repair' does, and then moves others to the node, as"
                    + " 'sluice cluster rebalance' does. A run that was interrupted goes on when it is run again."
        })
@SuppressWarnings("NullAway.Init") // picocli sets what is required
public final class AddCommand implements Callable<Integer> {
    private static final long LOOK_AGAIN_MILLIS = 500;

    private final Console console;

    @Parameters(paramLabel = "NODE", description = "Name, address or id of the node.")
    String added;

    @Option(
            names = "--wait",
            paramLabel = "SECONDS",
            defaultValue = "60",
            description = "How long to wait for the node to join. Default: ${DEFAULT-VALUE}.")
    int waitSeconds;

    @Mixin
    RateOption rate;

    @Mixin
    RemoteOptions nodes;

    public AddCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        if (waitSeconds < 0) {
            throw new BadInputException("--wait: must not be negative");
        }
        awaitJoined();
        try (ClusterAccess cluster = new ClusterAccess("cluster add", nodes, console, rate.bytesPerSecond())) {
            ClusterBody.Member node = cluster.member(added);
            // Others would be evened without a node that does not answer.
            cluster.ensureUp(node);
            int copied = RepairCommand.repair(cluster, nodes, console, null, 0, node.id(), null);
            int moved = RebalanceCommand.rebalance(cluster, console, 0);
            return Math.max(copied, moved);
        }
    }

    /** Waits for the node, also while the named nodes do not answer, or are in no cluster yet. */
    private void awaitJoined() {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(waitSeconds);
        while (!hasJoined()) {
            if (System.nanoTime() - end >= 0) {
                ClusterBody unused = nodes.requireCluster();
                throw new BadInputException("the cluster has no node " + added + " after " + waitSeconds
                        + " s; start it with 'sluice node --store DIR --listen ADDRESS --cluster "
                        + nodes.names().get(0) + ",ADDRESS --name NAME', and see its log");
            }
            Backoff.sleep(LOOK_AGAIN_MILLIS, "waiting for node " + added);
            nodes.forget();
        }
    }

    private boolean hasJoined() {
        ClusterBody cluster = nodes.given() ? nodes.named().cluster() : nodes.requireCluster();
        return cluster != null && ClusterAccess.find(cluster, added) != null;
    }
}
