package io.sluice.cli.imports;

import io.sluice.cli.memory.SizeConverter;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.sampler.ModeChoice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Options that a plan shares with its import: memory, threads and disk. */
@SuppressWarnings("NullAway.Init") // picocli sets what has a default
public final class PlanOptions {
    private static final String ALL = "all";

    @Mixin
    BudgetOptions budget = new BudgetOptions();

    @Option(
            names = "--tmp",
            paramLabel = "DIR",
            description = "Directory for sorted runs, whose free space counts. Default: the current directory.")
    Path tmp = Path.of("");

    @Option(
            names = "--sample",
            paramLabel = "SIZE|all",
            defaultValue = "16m",
            description = "Bytes of input to sample, from the beginning of each file. Default: 16m.")
    String sample;

    /** Validates the options. */
    public void validate() {
        if (budget.workers < 1) {
            throw new BadInputException("--workers " + budget.workers + ": must be at least 1");
        }
        sampleBytes();
    }

    /** Number of bytes to sample. */
    public long sampleBytes() {
        if (sample.toLowerCase(Locale.ROOT).equals(ALL)) {
            return Long.MAX_VALUE / 2;
        }
        try {
            return new SizeConverter().convert(sample);
        } catch (TypeConversionException e) {
            throw new BadInputException("--sample: " + e.getMessage() + ", or all", e);
        }
    }

    public BudgetOptions budget() {
        return budget;
    }

    /** The place of the import: one node on the local disk, or several nodes of which only the number is known. */
    public ModeChoice.Place place(int nodes) {
        try {
            long free = Files.getFileStore(tmp.toAbsolutePath()).getUsableSpace();
            return new ModeChoice.Place(nodes, free, nodes == 1 ? free : -1, nodes == 1);
        } catch (IOException e) {
            throw new OperationFailedException(
                    "--tmp " + tmp + ": cannot determine its free space: " + e.getMessage(), e);
        }
    }
}
