package io.sluice.cli.store;

import io.sluice.api.node.NodeClient;
import io.sluice.cli.output.Console;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sluice drop}: removes a table in constant time. */
@Command(name = "drop", description = "Remove a table, in a time that does not depend on its size.")
@SuppressWarnings("NullAway.Init") // picocli sets what is required
public final class DropCommand implements Callable<Integer> {
    private final NodeOpener nodes;
    private final Console console;

    @Parameters(index = "0", paramLabel = "TABLE", description = "Name of the table.")
    String table;

    @Mixin
    StoreOptions store;

    @Option(names = "--quiet", description = "Print nothing on success.")
    boolean quiet;

    public DropCommand(NodeOpener nodes, Console console) {
        this.nodes = nodes;
        this.console = console;
    }

    @Override
    public Integer call() {
        try (NodeClient node = store.open(nodes)) {
            if (!store.remote.given()) {
                StoreOptions.table(node, table);
            }
            // Each node drops its part, even of a table that is incomplete and so unreadable.
            node.drop(table);
        }
        if (!quiet) {
            console.err().println("dropped table " + table);
        }
        return 0;
    }
}
