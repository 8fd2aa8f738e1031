package io.sluice.cli.imports;

import io.sluice.api.error.OperationFailedException;
import io.sluice.api.schema.Ddl;
import io.sluice.api.schema.TableDef;
import io.sluice.cli.imports.ImportNodes.ImportNode;
import io.sluice.cli.input.SchemaFile;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.Output;
import io.sluice.cli.progress.ProgressLine;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.job.ImportJob;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.ImportReport;
import io.sluice.importer.job.ImportSettings;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.InputFiles;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code sluice import}: files into a new table of a store. */
@Command(
        name = "import",
        description = "Import files into a new table of a store, or of storage nodes.",
        footer = {"", "The report is described in docs/report.md."})
@SuppressWarnings("NullAway.Init") // picocli sets the options
public final class ImportCommand implements Callable<Integer> {
    private static final int IMPORTED_WITH_REJECTS = 3;

    private final ImportNodes nodes;
    private final Console console;

    @Mixin
    ImportOptions options;

    public ImportCommand(ImportNodes nodes, Console console) {
        this.nodes = nodes;
        this.console = console;
    }

    @Override
    public Integer call() throws InterruptedException {
        options.validate();
        InputFormat format = options.csv.format();
        List<InputFile> inputs = InputFiles.resolve(options.inputs);
        TableDef table = Ddl.select(SchemaFile.tables(options.schema), options.table, options.schema.toString());
        format.validate(table);
        // All that can be wrong with the arguments alone has been looked at: from here on there is a store.
        try (NewStore store = options.store == null ? NewStore.none() : NewStore.at(options.store)) {
            ImportReport report = run(table, inputs, format);
            store.keep();
            print(report);
            return report.rowsRejected() == 0 ? 0 : IMPORTED_WITH_REJECTS;
        }
    }

    private ImportReport run(TableDef table, List<InputFile> inputs, InputFormat format) throws InterruptedException {
        ImportNode node = open();
        try (var client = node.client();
                WorkDirectory work = WorkDirectory.in(options.tmp == null ? node.workDirectory() : options.tmp)) {
            ImportProgress progress = new ImportProgress();
            return watched(new ImportJob(client, table, inputs, settings(format, work), progress, options.importId()), progress);
        }
    }

    private ImportNode open() {
        return options.store == null
                ? new ImportNode(
                        options.remote.open(options.replicas, TimeUnit.SECONDS.toMillis(options.giveUpAfterSeconds)),
                        Path.of(System.getProperty("java.io.tmpdir")))
                : nodes.openForImport(options.store);
    }

    private ImportSettings settings(InputFormat format, WorkDirectory work) {
        return new ImportSettings(
                format,
                work.path(),
                options.memoryBudgetBytes(),
                options.workers,
                options.maxRejects,
                options.rejects,
                options.verify,
                ImportMode.of(options.mode).forJob());
    }

    @SuppressWarnings("try") // both resources act by being open
    private ImportReport watched(ImportJob job, ImportProgress progress) throws InterruptedException {
        ProgressLine.Style style = ProgressLine.Style.of(options.quiet, options.json, console.errIsTerminal());
        try (Interrupt interrupt = Interrupt.ofCurrentThread();
                ProgressLine line = ProgressLine.start(new Snapshots(progress), console.err(), style)) {
            return job.run();
        } catch (InterruptedException e) {
            throw new OperationFailedException("the import was interrupted and undone", e);
        }
    }

    private void print(ImportReport report) {
        try (Output out = console.output()) {
            if (options.json) {
                out.line(ReportPrinter.json(report));
            } else if (!options.quiet) {
                ReportPrinter.text(report).forEach(out::line);
            }
        }
    }
}
