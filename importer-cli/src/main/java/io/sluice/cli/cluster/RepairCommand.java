package io.sluice.cli.cluster;

import io.sluice.api.node.TableStatus;
import io.sluice.api.wire.ClusterChange;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.Output;
import io.sluice.cli.remote.RemoteOptions;
import io.sluice.client.cluster.Cluster;
import io.sluice.client.cluster.Repair;
import io.sluice.model.error.BadInputException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice cluster repair}: copies lost replicas. */
@Command(
        name = "repair",
        description = {
            "Copy the key ranges that are short of replicas to nodes that do not have them.",
            "Tables can be read and changed meanwhile; statements that change a table are refused for the fraction of a"
                    + " second in which its new places are set. A repair that was interrupted goes on when it is"
                    + " run again. The data passes through this process."
        })
@SuppressWarnings("NullAway.Init") // picocli sets the mixin
public final class RepairCommand implements Callable<Integer> {
    private final Console console;

    @Option(names = "--table", paramLabel = "TABLE", description = "Repair this table only.")
    @Nullable
    String table;

    @Mixin
    RateOption rate;

    @Option(
            names = "--replicas",
            paramLabel = "N",
            description =
                    "Copies of each row to have, from now on; no copy is removed. Default: as many as the table was"
                            + " imported with.")
    @Nullable
    Integer replicas;

    @Mixin
    RemoteOptions nodes;

    public RepairCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        if (replicas != null && replicas < 1) {
            throw new BadInputException("--replicas: must be at least 1");
        }
        try (ClusterAccess cluster = new ClusterAccess("cluster repair", nodes, console, rate.bytesPerSecond())) {
            int members = cluster.cluster().members().size();
            if (replicas != null && replicas > members) {
                throw new BadInputException(
                        "--replicas " + replicas + ": must be at most the number of nodes, " + members);
            }
            return repair(cluster, nodes, console, table, replicas == null ? 0 : replicas, null, null);
        }
    }

    /** Repairs tables, and prints what was done; returns the exit code. */
    static int repair(
            ClusterAccess cluster,
            RemoteOptions nodes,
            Console console,
            @Nullable String table,
            int replicas,
            @Nullable String preferred,
            @Nullable String leaving) {
        Repair repair = new Repair(cluster.clients(), cluster);
        Repair.Outcome outcome = repair.run(table, replicas, preferred, leaving);
        ToIntFunction<TableStatus> wanted = status -> {
            int now = status.directory().replicas();
            boolean named = table == null || table.equals(status.table().name());
            return replicas > 0 && named ? Math.min(now, replicas) : now;
        };
        // Only a lost node that tables were left without knew some of their changes.
        try (Cluster all = nodes.named().forReads()) {
            ClusterChange unused = repair.write(() -> {
                List<ClusterChange.Moved> counted = all.recounted(wanted, cluster::log);
                return counted.isEmpty() ? null : ClusterChange.removing(List.of(), counted, 0);
            });
        }
        try (Output out = console.output()) {
            outcome.copied()
                    .forEach((name, count) -> out.line(
                            "table " + name + ": " + count + (count == 1 ? " replica" : " replicas") + " copied"));
            outcome.unrepairable()
                    .forEach((name, count) -> out.line("table " + name + ": " + count
                            + (count == 1 ? " range" : " ranges")
                            + (leaving == null
                                    ? (count == 1 ? " stays" : " stay")
                                            + " short of replicas: too few nodes answer; start more, and repair again"
                                    : " would be short of replicas: too few other nodes answer; start more, and drain"
                                            + " again")));
            outcome.blocked().forEach((name, why) -> out.line("table " + name + ": not copied: " + why));
            if (outcome.copied().isEmpty()
                    && outcome.unrepairable().isEmpty()
                    && outcome.blocked().isEmpty()) {
                out.line("no range is short of replicas");
            }
        }
        return outcome.unrepairable().isEmpty() && outcome.blocked().isEmpty() ? 0 : 1;
    }
}
