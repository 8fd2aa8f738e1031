package io.sluice.cli.transactions;

import io.sluice.api.transaction.Outcome;
import io.sluice.api.wire.Wire;
import io.sluice.cli.node.LocalNodes;
import io.sluice.cli.output.Console;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.NodeUnreachableException;
import java.util.UUID;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sluice transactions resolve}: an operator's decision about a transaction in doubt. */
@Command(
        name = "resolve",
        description = {
            "Commit or abort the branches of a transaction that are in doubt on the store or the nodes given.",
            "For a last agent that is gone for good: while it can be asked, it decides, and another decision is refused."
                    + " In a cluster its log decides. Decide the same on all nodes, or the transaction is torn."
        })
@SuppressWarnings("NullAway.Init") // picocli sets what is required
final class ResolveCommand implements Callable<Integer> {
    private final LocalNodes nodes;
    private final Console console;

    @Parameters(index = "0", paramLabel = "ID", description = "The transaction.")
    String id;

    @ArgGroup(multiplicity = "1")
    Decision decision;

    @Mixin
    BranchOptions branches;

    /** One of two. */
    static final class Decision {
        @Option(names = "--commit", required = true, description = "Make its changes part of the tables.")
        boolean commit;

        @Option(names = "--abort", required = true, description = "Undo its changes.")
        boolean abort;
    }

    ResolveCommand(LocalNodes nodes, Console console) {
        this.nodes = nodes;
        this.console = console;
    }

    @Override
    public Integer call() {
        UUID transaction = Wire.uuid("transaction", id);
        int[] resolved = {0};
        NodeUnreachableException silent = branches.each(nodes, holder -> {
            if (holder.inDoubt().get().stream().anyMatch(branch -> branch.id().equals(transaction))) {
                Outcome outcome = holder.resolve().apply(transaction, decision.commit);
                resolved[0]++;
                console.err()
                        .println((decision.commit ? "committed " : "aborted ") + transaction + " on " + holder.name()
                                + (outcome == Outcome.UNKNOWN
                                        ? ", without the node or the log that decides it"
                                        : ", as it was decided"));
            }
        });
        if (silent != null) {
            throw silent;
        }
        if (resolved[0] == 0) {
            throw new BadInputException("transaction " + transaction + " is in doubt on none of them;"
                    + " 'sluice transactions' lists those that are");
        }
        return 0;
    }
}
