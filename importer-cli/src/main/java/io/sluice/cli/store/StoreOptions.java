package io.sluice.cli.store;

import io.sluice.api.error.BadInputException;
import io.sluice.api.node.NodeClient;
import io.sluice.api.node.TableStatus;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The option {@code --store} of every command that reads one. */
@SuppressWarnings("NullAway.Init") // picocli sets what is required
final class StoreOptions {
    @Option(names = "--store", paramLabel = "DIR", required = true, description = "Directory of the store.")
    Path store;

    /** Opens the store; reading does not make one. */
    NodeClient open(NodeOpener opener) {
        return opener.open(store);
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
