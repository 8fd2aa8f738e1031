package io.sluice.cli.imports;

import io.sluice.api.node.NodeClient;
import io.sluice.cli.node.LocalNodes.ImportNode;
import io.sluice.cli.remote.RemoteOptions;
import io.sluice.model.error.OperationFailedException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options of commands that bring rows onto storage nodes. */
@SuppressWarnings("NullAway.Init") // picocli sets the options
final class NodesOptions {
    @Mixin
    RemoteOptions remote;

    @Option(
            names = "--replicas",
            paramLabel = "R",
            description = "Number of nodes that hold each key range of the table. Default: 1, or what a backup had.")
    @Nullable
    Integer replicas;

    @Option(
            names = "--give-up-after",
            paramLabel = "SECONDS",
            description =
                    "Time after which an import pauses if a node does not answer or accepts no data. Default: 600.")
    long giveUpAfterSeconds = 600;

    /** Validates the options and adds problems to the list. */
    void validate(List<String> problems) {
        if (replicas != null && !remote.given()) {
            problems.add("--replicas needs --nodes");
        }
        if (giveUpAfterSeconds < 0) {
            problems.add("--give-up-after " + giveUpAfterSeconds + ": must not be negative");
        }
    }

    /** Validates the options of an import that adds rows to a table. */
    void validateAppend(List<String> problems) {
        if (replicas != null) {
            problems.add("--replicas " + replicas + " with --append: the table has its replicas already; leave it out");
        }
    }

    /** Opens clients for the nodes as one client, which the caller closes. */
    NodeClient open() {
        return open(replicas);
    }

    private NodeClient open(@Nullable Integer number) {
        return remote.named().forImport(remote.named().settings(), number, giveUpAfterMillis());
    }

    /**
     * Opens clients as {@link #open} does, for a table of a backup. Without the option, it gets as many replicas as it
     * had, or as there are nodes.
     *
     * @param had number of nodes that each of its key ranges was on; 0: not known
     * @param tell receives a line if it gets fewer
     * @throws OperationFailedException if the table is there, in part on nodes that are not named
     */
    ImportNode openForRestore(String table, int had, Consumer<String> tell) {
        remote.named().requireWhole(table);
        if (replicas != null || had < 2) {
            return node(open());
        }
        int nodes = remote.named().settings().size();
        if (nodes < had) {
            tell.accept("table " + table + " had " + had + " replicas of each key range, and gets " + nodes
                    + ", since there are no more nodes"
                    + (remote.named().cluster() == null
                            ? ""
                            : "; 'sluice cluster repair --table " + table + " --replicas " + had
                                    + "' adds the others later"));
        }
        return node(open(nodes == 1 ? null : Integer.valueOf(Math.min(nodes, had))));
    }

    private static ImportNode node(NodeClient client) {
        return new ImportNode(client, Path.of(System.getProperty("java.io.tmpdir")));
    }

    /**
     * Opens clients as {@link #openForNew} does, to add rows to a table. Temporary files go to the system's directory
     * for them.
     */
    ImportNode openForRows(Consumer<String> left) {
        return node(openForNew(left));
    }

    /**
     * Opens clients for a new table, or for new rows; nodes of a cluster that do not answer are left out, and named to
     * {@code left}.
     */
    NodeClient openForNew(Consumer<String> left) {
        return remote.openForNewImport(replicas, giveUpAfterMillis(), left);
    }

    long giveUpAfterMillis() {
        return TimeUnit.SECONDS.toMillis(giveUpAfterSeconds);
    }
}
