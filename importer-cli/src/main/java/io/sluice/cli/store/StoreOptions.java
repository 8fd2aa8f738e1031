package io.sluice.cli.store;

import io.sluice.api.node.NodeClient;
import io.sluice.api.node.TableStatus;
import io.sluice.cli.remote.RemoteOptions;
import io.sluice.client.cluster.Cluster;
import io.sluice.model.error.BadInputException;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The location of the tables, {@code --store} or {@code --nodes}: options of every command that reads them. */
@SuppressWarnings("NullAway.Init") // picocli sets what is required
final class StoreOptions {
    @Option(names = "--store", paramLabel = "DIR", description = "Directory of the store.")
    @Nullable
    Path store;

    @Mixin
    RemoteOptions remote;

    /**
     * Opens the store, or clients for the nodes; reading does not make one. A node's store is a cluster of one: it may
     * hold a part of a table only.
     */
    NodeClient open(NodeOpener opener) {
        remote.check(store);
        return store == null ? remote.open() : new Cluster(Map.of(store.toString(), opener.open(store)), 1);
    }

    static TableStatus table(NodeClient node, String name) {
        TableStatus table = node.table(name);
        if (table == null) {
            String known = String.join(
                    ", ",
                    node.tables().stream().map(status -> status.table().name()).toList());
            throw new BadInputException("the store has no table " + name + "; "
                    + (known.isEmpty() ? "it has no tables" : "it has " + known));
        }
        return table;
    }
}
