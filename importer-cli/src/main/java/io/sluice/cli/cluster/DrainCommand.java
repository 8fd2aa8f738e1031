package io.sluice.cli.cluster;

import io.sluice.api.wire.ClusterBody;
import io.sluice.cli.output.Console;
import io.sluice.cli.remote.RemoteOptions;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code sluice cluster drain}: moves a node's replicas to others, and removes it. */
@Command(
        name = "drain",
        description = {
            "Copy the replicas of a node to other nodes, and remove the node then.",
            "No key range is short of a replica meanwhile, and tables with one replica are moved, too. If the copying"
                    + " fails or is interrupted, the node stays in the cluster; run the command again. The node ends"
                    + " by itself; its store cannot be used in the cluster again."
        })
@SuppressWarnings("NullAway.Init") // picocli sets what is required
public final class DrainCommand implements Callable<Integer> {
    private final Console console;

    @Parameters(paramLabel = "NODE", description = "Name, address or id of the node.")
    String leaving;

    @Mixin
    RateOption rate;

    @Mixin
    RemoteOptions nodes;

    public DrainCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        try (ClusterAccess cluster = new ClusterAccess("cluster drain", nodes, console, rate.bytesPerSecond())) {
            ClusterBody.Member node = cluster.member(leaving);
            RemoveCommand.ensureOthersStay(cluster, Set.of(node));
            int copied = RepairCommand.repair(cluster, nodes, console, null, 0, null, node.id());
            if (copied == 0) {
                RemoveCommand.remove(cluster, nodes, console, Set.of(node));
            } else {
                console.log("node " + node.name() + " stays in the cluster");
            }
            return copied;
        }
    }
}
