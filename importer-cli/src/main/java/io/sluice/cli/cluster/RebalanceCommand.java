package io.sluice.cli.cluster;

import io.sluice.cli.memory.SizeConverter;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.Output;
import io.sluice.cli.remote.RemoteOptions;
import io.sluice.client.cluster.Rebalancing;
import io.sluice.model.error.BadInputException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice cluster rebalance}: splits large key ranges, and moves replicas to nodes with fewer bytes. */
@Command(
        name = "rebalance",
        description = {
            "Split large key ranges, and move replicas from nodes with more bytes to nodes with fewer, such as a new"
                    + " one.",
            "It ends when the bytes of the nodes differ by at most 5%% of their average, or no range is smaller than the"
                    + " difference. Tables can be read and changed meanwhile, and no key range is short of a replica."
                    + " Statements that change a table are refused for the fraction of a second in which ranges are"
                    + " split or get their new places. A run that was interrupted goes on when it is run again. The"
                    + " data passes through this process."
        })
@SuppressWarnings("NullAway.Init") // picocli sets the mixins
public final class RebalanceCommand implements Callable<Integer> {
    private final Console console;

    @Option(
            names = "--max-range-size",
            paramLabel = "SIZE",
            converter = SizeConverter.class,
            description = "Split key ranges over this size, into parts of three quarters of it at most. Default: if"
                    + " moves of whole ranges would not even the nodes, a twentieth of the average bytes of a node, and at"
                    + " least 1 MiB; otherwise none is split.")
    @Nullable
    Long maxRangeSize;

    @Option(names = "--dry-run", description = "Print what would be split and moved, and change nothing.")
    boolean dryRun;

    @Mixin
    RateOption rate;

    @Mixin
    RemoteOptions nodes;

    public RebalanceCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        if (maxRangeSize != null && maxRangeSize < 1) {
            throw new BadInputException("--max-range-size: must be at least 1");
        }
        long most = maxRangeSize == null ? 0 : maxRangeSize;
        try (ClusterAccess cluster = new ClusterAccess("cluster rebalance", nodes, console, rate.bytesPerSecond())) {
            return dryRun ? plan(cluster, console, most) : rebalance(cluster, console, most);
        }
    }

    /**
     * Evens the nodes, and prints what was done; returns the exit code.
     *
     * @param most bytes of a range above which it is split; 0: chosen
     */
    static int rebalance(ClusterAccess cluster, Console console, long most) {
        Rebalancing.Done done = new Rebalancing(cluster.clients(), cluster).run(most);
        try (Output out = console.output()) {
            return print(done, cluster, out);
        }
    }

    private static int plan(ClusterAccess cluster, Console console, long most) {
        Rebalancing.Planned planned = new Rebalancing(cluster.clients(), cluster).plan(most);
        try (Output out = console.output()) {
            return print(planned, cluster, out);
        }
    }

    private static int print(Rebalancing.Done done, ClusterAccess cluster, Output out) {
        done.split()
                .forEach((name, count) ->
                        out.line("table " + name + ": " + count + (count == 1 ? " range" : " ranges") + " split"));
        done.moved()
                .forEach((name, count) ->
                        out.line("table " + name + ": " + count + (count == 1 ? " replica" : " replicas") + " moved"));
        done.blocked().forEach((name, why) -> out.line("table " + name + ": not moved: " + why));
        lacking(done.lacking(), out);
        if (done.split().isEmpty()
                && done.moved().isEmpty()
                && done.blocked().isEmpty()
                && done.lacking().isEmpty()) {
            out.line(even(done.before()));
        }
        nodes(done.before(), done.after(), cluster, out);
        return done.lacking().isEmpty() && done.blocked().isEmpty() ? 0 : 1;
    }

    private static String even(Map<String, Long> bytes) {
        return Rebalancing.even(bytes)
                ? "the nodes are even"
                : "the nodes are not even, but no range can be moved that is smaller than their difference";
    }

    private static int print(Rebalancing.Planned planned, ClusterAccess cluster, Output out) {
        planned.splits()
                .forEach(split -> out.line("would split: table " + split.table() + ", range " + split.range() + ", "
                        + split.bytes() + " bytes, into " + split.parts() + " parts, on "
                        + split.nodes().stream().map(cluster::described).collect(Collectors.joining(", "))));
        planned.moves()
                .forEach(move -> out.line("would move: table " + move.table() + ", range " + move.range() + ", "
                        + move.bytes() + " bytes, from " + cluster.described(move.from()) + " to "
                        + cluster.described(move.to())));
        lacking(planned.lacking(), out);
        if (planned.splits().isEmpty()
                && planned.moves().isEmpty()
                && planned.lacking().isEmpty()) {
            out.line(even(planned.before()));
        }
        nodes(planned.before(), planned.after(), cluster, out);
        return planned.lacking().isEmpty() ? 0 : 1;
    }

    private static void lacking(List<String> tables, Output out) {
        tables.forEach(name ->
                out.line("table " + name + ": not moved: it is short of replicas; run 'sluice cluster repair' first"));
    }

    private static void nodes(Map<String, Long> before, Map<String, Long> after, ClusterAccess cluster, Output out) {
        after.forEach((id, bytes) -> out.line("node " + cluster.described(id) + ": " + before.getOrDefault(id, 0L)
                + " bytes before, " + bytes + " after"));
    }
}
