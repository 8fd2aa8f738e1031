package io.sluice.cli.imports;

import io.sluice.api.node.NodeClient;
import io.sluice.cli.node.LocalNodes;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.Output;
import io.sluice.cli.progress.ProgressLine;
import io.sluice.cli.store.StoreCommand;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.staged.SetPlace;
import io.sluice.importer.job.staged.TableBackup;
import io.sluice.importer.options.S3Options;
import io.sluice.model.error.BadInputException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sluice backup}: reads a table into a staged set, which {@code sluice ingest} restores. */
@Command(
        name = "backup",
        description = "Read a table, with all its indexes, into a staged set, which 'sluice ingest' restores.",
        footer = {
            "",
            "A table that changes meanwhile leaves nothing behind (exit code 1): run the command again. The same command"
                    + " also removes what an interrupted one has left. See docs/how-to/backup.md."
        })
@SuppressWarnings("NullAway.Init") // picocli sets the options
public final class BackupCommand extends StoreCommand {
    private static final int MOST_THREADS = 8;

    private final Console console;

    @Parameters(index = "0", paramLabel = "TABLE", description = "Name of the table.")
    String table;

    @Option(
            names = "--output",
            paramLabel = "DIR|s3://BUCKET/PREFIX",
            required = true,
            description = "Place of the set: new, empty, or left by an interrupted backup.")
    String output;

    @Mixin
    S3Options s3;

    @Option(
            names = "--workers",
            paramLabel = "N",
            description = "Number of threads that read, each into an SST of its own. Default: one per core, at most "
                    + MOST_THREADS + ".")
    int workers = Math.min(Runtime.getRuntime().availableProcessors(), MOST_THREADS);

    @Option(names = "--json", description = "Print the result as a JSON object.")
    boolean json;

    @Option(names = "--quiet", description = "Print nothing on success.")
    boolean quiet;

    private SetPlace place;

    public BackupCommand(LocalNodes nodes, Console console) {
        super(nodes, console::output);
        this.console = console;
    }

    @Override
    protected void check() {
        if (workers < 1) {
            throw new BadInputException("--workers " + workers + ": must be at least 1");
        }
        place = SetPlace.of(output, s3.settings());
    }

    @Override
    protected void run(NodeClient node, Output out) {
        ImportProgress progress = new ImportProgress();
        TableBackup backup = new TableBackup(node, table(node, table), place, workers, progress);
        TableBackup.Result result = ImportRun.watched(
                console, ProgressLine.Style.of(quiet, json, console.errIsTerminal()), progress, "backup", backup::run);
        if (json) {
            out.line(StagedText.json(result.set(), result.already() ? "already_backed_up" : "backed_up", more -> {}));
        } else if (!quiet) {
            StagedText.lines(result.set(), result.already() ? "already backed up" : "backed up")
                    .forEach(out::line);
        }
    }
}
