package io.sluice.cli.transactions;

import io.sluice.api.transaction.InDoubtBranch;
import io.sluice.api.transaction.LastAgent;
import io.sluice.cli.node.LocalNodes;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.Json;
import io.sluice.cli.output.Output;
import io.sluice.cli.output.TextTable;
import io.sluice.model.error.NodeUnreachableException;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice transactions}: lists the branches of transactions that are in doubt. */
@Command(
        name = "transactions",
        description = {
            "List branches of transactions that are in doubt: prepared on a node, and waiting to hear from the last agent"
                    + " what became of the transaction, or from the log of the cluster. They hold rows meanwhile.",
            "Nodes resolve them by themselves as soon as the last agent answers, or most nodes of the cluster."
        })
@SuppressWarnings("NullAway.Init") // picocli sets what is required
public final class TransactionsCommand implements Callable<Integer> {
    private static final long MILLIS_PER_SECOND = 1000;

    private final LocalNodes nodes;
    private final Console console;

    @Mixin
    BranchOptions branches;

    @Option(names = "--json", description = "Print one JSON object per branch and line.")
    boolean json;

    private TransactionsCommand(LocalNodes nodes, Console console) {
        this.nodes = nodes;
        this.console = console;
    }

    /** The command with all that it can do. */
    public static CommandLine of(LocalNodes nodes, Console console) {
        return new CommandLine(new TransactionsCommand(nodes, console))
                .addSubcommand(new ResolveCommand(nodes, console));
    }

    @Override
    public Integer call() {
        TextTable text = new TextTable("transaction", "in doubt on", "for", "last agent", "its address", "tables");
        try (Output out = console.output()) {
            NodeUnreachableException silent = branches.each(nodes, holder -> {
                for (InDoubtBranch branch : holder.inDoubt().get()) {
                    LastAgent agent = branch.lastAgent();
                    if (json) {
                        out.line(json(holder.name(), branch));
                    } else {
                        text.row(
                                branch.id().toString(),
                                holder.name(),
                                branch.ageMillis() / MILLIS_PER_SECOND + " s",
                                agent == null ? "log of the cluster" : agent.id(),
                                agent == null ? "" : agent.address(),
                                String.join(",", branch.tables()));
                    }
                }
            });
            if (!json) {
                text.lines().forEach(out::line);
            }
            if (silent != null) {
                throw silent;
            }
        }
        return 0;
    }

    private static String json(String holder, InDoubtBranch branch) {
        return Json.object(json -> {
            json.writeStringField("transaction", branch.id().toString());
            json.writeStringField("inDoubtOn", holder);
            json.writeNumberField("ageMillis", branch.ageMillis());
            LastAgent agent = branch.lastAgent();
            if (agent != null) {
                json.writeObjectFieldStart("lastAgent");
                json.writeStringField("id", agent.id());
                json.writeStringField("address", agent.address());
                json.writeEndObject();
            }
            Json.texts(json, "tables", branch.tables());
        });
    }
}
