package io.sluice.cli.node;

import io.sluice.cli.output.Console;
import io.sluice.node.StorageNode;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code sluice recover}: reports what a damaged write-ahead log would lose, and drops it if the operator accepts. */
@Command(
        name = "recover",
        description = "Check a store's write-ahead log, and on request drop the commits that follow damage.")
@SuppressWarnings("NullAway.Init") // picocli sets what is required
public final class RecoverCommand implements Callable<Integer> {
    private final Console console;

    @Option(names = "--store", paramLabel = "DIR", required = true, description = "Directory of the store.")
    Path store;

    @Option(
            names = "--accept-loss",
            description = "Drop the commits that follow the damage, except of tables that were flushed after it."
                    + " The log's files are copied into the store's directory first.")
    boolean acceptLoss;

    public RecoverCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        String loss = StorageNode.logLoss(store);
        if (loss == null) {
            console.log("the write-ahead log of " + store + " lacks no durable commit");
            return 0;
        }
        if (!acceptLoss) {
            console.log(loss + ". Nothing was changed; accept the loss with --accept-loss");
            return 1;
        }
        Path copies = StorageNode.dropDamagedLog(store);
        console.log("lost: " + loss + ". The log as it was is in " + copies);
        return 0;
    }
}
