package io.sluice.cli.imports;

import io.sluice.api.error.OperationFailedException;
import io.sluice.cli.output.Console;
import io.sluice.cli.progress.ProgressLine;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code sluice import}: files into a new table of a store. */
@Command(
        name = "import",
        description = "Import files into a new table of a store.",
        footer = {"", "The report is described in docs/report.md."})
@SuppressWarnings("NullAway.Init") // picocli sets the options
public final class ImportCommand implements Callable<Integer> {
    private final Console console;

    @Mixin
    ImportOptions options;

    public ImportCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        options.validate();
        ProgressLine.Style style = ProgressLine.Style.of(options.quiet, options.json, console.errIsTerminal());
        throw new OperationFailedException("import is not wired yet (progress " + style + ")");
    }
}
