package io.sluice.cli.store;

import io.sluice.api.node.NodeClient;
import io.sluice.cli.node.LocalNodes;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.Output;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sluice drop}: removes a table in constant time. */
@Command(name = "drop", description = "Remove a table, in a time that does not depend on its size.")
@SuppressWarnings("NullAway.Init") // picocli sets what is required
public final class DropCommand extends StoreCommand {
    private final Console console;

    @Parameters(index = "0", paramLabel = "TABLE", description = "Name of the table.")
    String table;

    @Option(names = "--quiet", description = "Print nothing on success.")
    boolean quiet;

    public DropCommand(LocalNodes nodes, Console console) {
        super(nodes, console::output);
        this.console = console;
    }

    @Override
    protected void check() {
        if (store != null) {
            LocalNodes.ensureNoMember(store);
        }
    }

    @Override
    protected void run(NodeClient node, Output out) {
        if (!remote.given()) {
            table(node, table);
        }
        // Each node drops its part, even of a table that is incomplete and so unreadable.
        node.drop(table);
        if (!quiet) {
            console.err().println("dropped table " + table);
        }
    }
}
