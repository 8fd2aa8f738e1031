package io.sluice.cli.cluster;

import io.sluice.cli.output.Console;
import io.sluice.cli.output.Output;
import io.sluice.cli.progress.Units;
import io.sluice.cli.remote.RemoteOptions;
import io.sluice.client.cluster.Repair;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice cluster verify}: compares the replicas of each key range, and repairs the wrong ones. */
@Command(
        name = "verify",
        description = {
            "Compare the replicas of all key ranges, and name the rows that differ.",
            "Tables can be read and changed meanwhile; statements that change a table are refused for the fraction of a"
                    + " second in which a difference is confirmed and repaired. With three replicas the one that differs"
                    + " from the two others is wrong; with two, name the node that is right."
        })
@SuppressWarnings("NullAway.Init") // picocli sets the mixin
public final class VerifyReplicasCommand implements Callable<Integer> {
    private final Console console;

    @Option(names = "--table", paramLabel = "TABLE", description = "Verify this table only.")
    @Nullable
    String table;

    @Option(names = "--repair", description = "Give wrong replicas the KVs of the right one.")
    boolean repair;

    @Option(
            names = "--trust",
            paramLabel = "NODE",
            description = "Name, address or id of the node whose replicas are right. Default: what most replicas have.")
    @Nullable
    String trust;

    @Mixin
    RateOption rate;

    @Mixin
    RemoteOptions nodes;

    public VerifyReplicasCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        try (ClusterAccess cluster = new ClusterAccess("cluster verify", nodes, console, rate.bytesPerSecond());
                Output out = console.output()) {
            String trusted = trust == null ? null : cluster.member(trust).id();
            List<Repair.Verified> verified = new Repair(cluster.clients(), cluster).verify(table, repair, trusted);
            boolean whole = true;
            for (Repair.Verified each : verified) {
                out.line("table " + each.table() + ": " + Units.plain(each.compared(), "range") + " compared, "
                        + found(each)
                        + (each.alone() == 0 ? "" : "; " + each.alone() + " have a single replica that answers"));
                each.differences().forEach(difference -> out.line("  " + difference));
                whole &= each.whole();
            }
            if (verified.isEmpty()) {
                out.line("no table has key ranges on several nodes");
            }
            return whole ? 0 : 1;
        }
    }

    private static String found(Repair.Verified table) {
        if (!table.differences().isEmpty()) {
            return "replicas differ";
        }
        return table.partly() == 0
                ? "all replicas are equal"
                : "the replicas that answer are equal; " + table.partly() + " have another one, on a node that is down";
    }
}
