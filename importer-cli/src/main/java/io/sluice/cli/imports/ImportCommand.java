package io.sluice.cli.imports;

import io.sluice.api.schema.Ddl;
import io.sluice.api.schema.TableDef;
import io.sluice.cli.imports.ImportNodes.ImportNode;
import io.sluice.cli.input.SchemaFile;
import io.sluice.cli.output.Console;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.job.DryRun;
import io.sluice.importer.job.ImportJob;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.ImportReport;
import io.sluice.importer.job.ImportSettings;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.InputFiles;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code sluice import}: files into a new table of a store. */
@Command(
        name = "import",
        description = "Import files into a new table of a store.",
        footer = {"", "The report is described in docs/report.md, the CSV options in docs/csv.md."})
@SuppressWarnings("NullAway.Init") // picocli sets the options
public final class ImportCommand implements Callable<Integer> {
    static final int IMPORTED_WITH_REJECTS = 3;

    private final ImportNodes nodes;
    private final Console console;

    @Mixin
    ImportOptions options;

    public ImportCommand(ImportNodes nodes, Console console) {
        this.nodes = nodes;
        this.console = console;
    }

    @Override
    public Integer call() {
        options.validate();
        InputFormat format = options.csv.format();
        List<InputFile> inputs = InputFiles.resolve(options.inputs);
        List<TableDef> tables = SchemaFile.tables(options.schema);
        TableDef table = Ddl.select(tables, options.table, options.schema.toString());
        format.validate(table);
        Path store = options.store;
        if (options.dryRun || store == null) {
            return dryRun(tables, table, inputs, format);
        }
        // All that can be wrong with the arguments alone has been looked at: from here on there is a store.
        try (NewStore made = NewStore.at(store)) {
            ImportReport report = run(store, table, inputs, format);
            made.keep();
            new ImportRun(console, options.run)
                    .print(() -> ReportPrinter.json(report), () -> ReportPrinter.text(report));
            return report.rowsRejected() == 0 ? 0 : IMPORTED_WITH_REJECTS;
        }
    }

    private ImportReport run(Path store, TableDef table, List<InputFile> inputs, InputFormat format) {
        ImportNode node = nodes.openForImport(store);
        try (var client = node.client();
                WorkDirectory work =
                        WorkDirectory.in(options.run.tmp == null ? node.workDirectory() : options.run.tmp)) {
            ImportProgress progress = new ImportProgress();
            ImportJob job = new ImportJob(client, table, inputs, settings(format, work.path()), progress);
            return new ImportRun(console, options.run).watched(progress, job::run);
        }
    }

    private int dryRun(List<TableDef> tables, TableDef table, List<InputFile> inputs, InputFormat format) {
        ImportProgress progress = new ImportProgress();
        DryRun dry = new DryRun(DryRunReport.assumed(tables, table), inputs, settings(format, Path.of("")), progress);
        ImportRun run = new ImportRun(console, options.run);
        DryRun.Result result = run.watched(progress, dry::run);
        run.print(() -> DryRunReport.json(result), () -> DryRunReport.text(result));
        return DryRunReport.exitCode(result);
    }

    private ImportSettings settings(InputFormat format, Path work) {
        return new ImportSettings(
                format,
                work,
                options.run.memoryBudgetBytes(),
                options.run.workers,
                options.run.rejectLimit(),
                options.run.bundle(SchemaFile.text(options.schema)),
                options.run.verify,
                ImportMode.of(options.mode).forJob());
    }
}
