package io.sluice.cli.workload;

import io.sluice.cli.output.Console;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.Reasons;
import io.sluice.tpcc.StockChanges;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code sluice workload changes}: a change log for TPC-C's stock as {@code workload tpcc stock} writes it. Every
 * change fits the rows that the ones before it leave.
 */
@Command(
        name = "changes",
        description = "Write a change log for TPC-C's stock, to be applied by 'sluice apply' once stock is imported.",
        footer = {
            "",
            "Of a hundred changes about 92 are updates, 4 deletes and 4 inserts of what was deleted. 80 of a hundred",
            "are about the hot rows."
        })
@SuppressWarnings("NullAway.Init") // picocli sets what is required
public final class ChangesCommand implements Callable<Integer> {

    private final Console console;

    @Option(names = "--warehouses", paramLabel = "N", defaultValue = "1", description = "Default: ${DEFAULT-VALUE}.")
    int warehouses;

    @Option(names = "--changes", paramLabel = "N", defaultValue = "100000", description = "Default: ${DEFAULT-VALUE}.")
    long changes;

    @Option(
            names = "--hot",
            paramLabel = "F",
            defaultValue = "0.2",
            description = "Fraction of the rows that are hot. Default: ${DEFAULT-VALUE}.")
    double hot;

    @Option(names = "--seed", paramLabel = "S", defaultValue = "1", description = "Default: ${DEFAULT-VALUE}.")
    long seed;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            required = true,
            description = "Where the log goes.")
    Path output;

    /** The command over the given streams. */
    public ChangesCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        if (changes < 0) {
            throw new BadInputException("--changes must be at least 0");
        }
        StockChanges log = new StockChanges(warehouses, hot, seed);
        try (Writer out = Files.newBufferedWriter(output)) {
            for (long i = 0; i < changes; i++) {
                log.write(i, out);
            }
        } catch (IOException e) {
            throw Reasons.ofPlace("cannot write " + output + ": " + Reasons.ofFile(output, e), e);
        }
        console.err().println("wrote " + changes + " changes, seed " + seed);
        return 0;
    }
}
