package io.sluice.cli.cluster;

import io.sluice.cli.output.Console;
import io.sluice.cli.output.Output;
import io.sluice.cli.remote.RemoteOptions;
import io.sluice.client.cluster.Repair;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code sluice cluster rebalance}: moves replicas to nodes with fewer bytes. */
@Command(
        name = "rebalance",
        description = {
            "Move replicas of key ranges from nodes with more bytes to nodes with fewer, such as a new one.",
            "It ends when the bytes of the nodes differ by at most 5%% of their average, or no range is smaller than the"
                    + " difference. Tables can be read and changed meanwhile, and no key range is short of a replica."
                    + " Statements that change a table are refused for the fraction of a second in which ranges get"
                    + " their new places. A run that was interrupted goes on when it is run again. The data passes"
                    + " through this process."
        })
@SuppressWarnings("NullAway.Init") // picocli sets the mixins
public final class RebalanceCommand implements Callable<Integer> {
    private final Console console;

    @Mixin
    RateOption rate;

    @Mixin
    RemoteOptions nodes;

    public RebalanceCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        try (ClusterAccess cluster = new ClusterAccess(nodes, console, rate.bytesPerSecond());
                Output out = console.output()) {
            Repair.Rebalanced done = new Repair(cluster.clients(), cluster).rebalance();
            done.moved()
                    .forEach((name, count) -> out.line(
                            "table " + name + ": " + count + (count == 1 ? " replica" : " replicas") + " moved"));
            done.inDoubt().forEach((name, why) -> out.line("table " + name + ": not moved: " + why));
            done.lacking()
                    .forEach(name -> out.line("table " + name
                            + ": not moved: it is short of replicas; run 'sluice cluster repair' first"));
            if (done.moved().isEmpty()
                    && done.inDoubt().isEmpty()
                    && done.lacking().isEmpty()) {
                out.line("the nodes are even");
            }
            done.after()
                    .forEach((id, bytes) -> out.line("node " + cluster.described(id) + ": "
                            + done.before().getOrDefault(id, 0L) + " bytes before, " + bytes + " after"));
            return done.lacking().isEmpty() && done.inDoubt().isEmpty() ? 0 : 1;
        }
    }
}
