package io.sluice.cli.cluster;

import io.sluice.api.wire.ClusterBody;
import io.sluice.cli.output.Console;
import io.sluice.cli.remote.RemoteOptions;
import io.sluice.model.error.BadInputException;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code sluice cluster replace}: removes a node and gives its replicas to others. */
@Command(
        name = "replace",
        description = {
            "Remove a node that is lost, and copy its replicas to a new one.",
            "The new node has joined the cluster before. If the copying is interrupted, 'sluice cluster repair' goes"
                    + " on with it."
        })
@SuppressWarnings("NullAway.Init") // picocli sets what is required
public final class ReplaceCommand implements Callable<Integer> {
    private final Console console;

    @Parameters(index = "0", paramLabel = "OLD", description = "Name, address or id of the node to remove.")
    String old;

    @Parameters(index = "1", paramLabel = "NEW", description = "Name, address or id of the node that takes its place.")
    String replacement;

    @Mixin
    RateOption rate;

    @Mixin
    RemoteOptions nodes;

    public ReplaceCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        try (ClusterAccess cluster = new ClusterAccess("cluster repair", nodes, console, rate.bytesPerSecond())) {
            ClusterBody.Member leaving = cluster.member(old);
            ClusterBody.Member next = cluster.member(replacement);
            if (next.equals(leaving)) {
                throw new BadInputException("node " + leaving.name() + " cannot replace itself");
            }
            // Others would get the replicas.
            cluster.ensureUp(next);
            RemoveCommand.remove(cluster, nodes, console, Set.of(leaving));
            cluster.clients().remove(leaving.id());
            return RepairCommand.repair(cluster, nodes, console, null, 0, next.id(), null);
        }
    }
}
