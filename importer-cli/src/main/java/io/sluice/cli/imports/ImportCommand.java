package io.sluice.cli.imports;

import io.sluice.cli.ExitCode;
import io.sluice.cli.input.SchemaFile;
import io.sluice.cli.node.LocalNodes;
import io.sluice.cli.node.LocalNodes.ImportNode;
import io.sluice.cli.output.Console;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.job.DryRun;
import io.sluice.importer.job.ImportControl;
import io.sluice.importer.job.ImportEvents;
import io.sluice.importer.job.ImportJob;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.ImportReport;
import io.sluice.importer.job.ImportSettings;
import io.sluice.importer.job.Precheck;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.InputFiles;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.Table;
import io.sluice.model.schema.TableDef;
import io.sluice.node.ingest.FaultPoints;
import io.sluice.sampler.AutoMode;
import io.sluice.sampler.ModeChoice;
import io.sluice.sampler.SampledPlanner;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code sluice import}: imports files into a table. */
@Command(
        name = "import",
        description = "Import files into a table of a store, or into a new table on storage nodes.",
        footer = {"", "The report is described in docs/reference/report.md, the CSV options in docs/reference/csv.md."})
@SuppressWarnings("NullAway.Init") // picocli sets the options
public final class ImportCommand implements Callable<Integer> {
    private final LocalNodes nodes;
    private final Console console;

    @Spec
    CommandSpec spec;

    @Mixin
    ImportOptions options;

    public ImportCommand(LocalNodes nodes, Console console) {
        this.nodes = nodes;
        this.console = console;
    }

    @Override
    public Integer call() {
        if (options.server.given()) {
            return new ServerImport(options, console).run(spec.commandLine().getParseResult()::hasMatchedOption);
        }
        options.validate();
        List<InputFile> inputs = InputFiles.resolve(options.inputs, options.source.settings());
        InputFormat format = options.format.of(options.csv, inputs);
        Ddl.Schema declared = SchemaFile.schema(options.schema);
        List<TableDef> tables = declared.tables();
        TableDef table = Ddl.select(tables, options.table, options.schema.toString());
        format.validate(table);
        SchemaFile.printRemarks(options.schema, declared, table, new ImportRun(console, options.run)::tell);
        Path store = options.store;
        Precheck precheck = new Precheck(format, table, options.run.rejectLimit());
        if (!options.dryRun) {
            precheck.run(inputs);
        }
        new ImportRun(console, options.run).tell(precheck.found(inputs));
        if (options.dryRun) {
            return dryRun(tables, table, inputs, format);
        }
        // All checks of arguments and inputs are done. From here on the import creates the store.
        try (NewStore made = store == null ? NewStore.none() : NewStore.at(store)) {
            Done done = run(made, tables, table, inputs, format);
            ImportReport report = done.report();
            new ImportRun(console, options.run)
                    .printPublished(
                            () -> ReportPrinter.json(report, done.modeWhy()),
                            () -> ReportPrinter.text(report, done.modeWhy()));
            return report.withoutRejects() ? 0 : ExitCode.REJECTS;
        }
    }

    /** Prints messages of an import, and passes on its durable steps. */
    private record Observer(ImportRun run, FaultPoints faults) implements ImportEvents {
        @Override
        public void reached(String point) {
            faults.reached(point);
        }

        @Override
        public void tell(String sentence) {
            run.tell(sentence);
        }
    }

    /** The report of a finished import, and the reason for its mode. */
    private record Done(ImportReport report, String modeWhy) {}

    private Done run(NewStore made, List<TableDef> tables, TableDef table, List<InputFile> inputs, InputFormat format) {
        Path store = options.store;
        ImportNode node = store == null ? remote() : nodes.openForImport(store);
        made.opened();
        ImportReport report = null;
        try (var client = node.client();
                WorkDirectory work =
                        WorkDirectory.in(options.run.tmp == null ? node.workDirectory() : options.run.tmp)) {
            ModeChoice mode = mode(store, work, Table.inNewStore(tables, table), inputs, format);
            ImportProgress progress = new ImportProgress();
            UUID importId = options.importId();
            ImportJob job = new ImportJob(
                    client,
                    table,
                    inputs,
                    settings(
                            format,
                            work.path(),
                            mode.mode(),
                            importId == null ? RunOptions.unusedBundle(table.name()) : importId.toString()),
                    progress,
                    importId,
                    new SampledPlanner(table.indexes().size(), options.seed));
            ImportRun run = new ImportRun(console, options.run);
            run.tell("mode " + mode.mode().label() + ": " + mode.why());
            if (importId != null) {
                run.tell("job " + importId + ": if it is interrupted, the same command with --job-id " + importId
                        + " resumes it");
            }
            ImportControl control = new ImportControl().givingUpAfter(options.target.giveUpAfterMillis());
            report =
                    run.watched(progress, job.controlledBy(control).observedBy(new Observer(run, nodes.faults()))::run);
            made.keep();
            if (job.wasFinishedBefore()) {
                run.tell("already imported: this is the report of the run that finished it");
            }
            return new Done(report, mode.why());
        } catch (RuntimeException e) {
            // Thrown when the temporary files or the store are closed.
            throw report == null ? e : ImportRun.afterPublication(e);
        }
    }

    private ModeChoice mode(
            @Nullable Path store, WorkDirectory work, Table table, List<InputFile> inputs, InputFormat format) {
        if (options.append) {
            return new ModeChoice(ImportSettings.Mode.MERGE, "--append brings all rows in at once");
        }
        ImportSettings.Mode asked = options.chosenMode();
        return asked == null
                ? new AutoMode(options.run.budget.memoryBytes(), options.run.budget.workers(), options.nodes())
                        .choose(table, inputs, format, work.path(), store)
                : new ModeChoice(asked, "asked for");
    }

    /** Opens remote nodes. Temporary files go to the system's directory for them. */
    private ImportNode remote() {
        return new ImportNode(options.target.open(), Path.of(System.getProperty("java.io.tmpdir")));
    }

    private int dryRun(List<TableDef> tables, TableDef table, List<InputFile> inputs, InputFormat format) {
        ImportProgress progress = new ImportProgress();
        DryRun dry = new DryRun(
                Table.inNewStore(tables, table),
                inputs,
                settings(format, Path.of(""), ImportSettings.Mode.MERGE, null),
                progress);
        ImportRun run = new ImportRun(console, options.run);
        DryRun.Result result = run.watched(progress, dry::run);
        run.print(() -> ReportPrinter.json(result), () -> ReportPrinter.text(result));
        return ReportPrinter.exitCode(result);
    }

    /**
     * Builds the settings from the options.
     *
     * @param bundle name of the reject bundle if --rejects is not given; null for no bundle
     */
    private ImportSettings settings(InputFormat format, Path work, ImportSettings.Mode mode, @Nullable String bundle) {
        boolean wanted = bundle != null || options.run.rejects != null;
        return new ImportSettings(
                format,
                new ImportSettings.Resources(
                        work,
                        options.run.budget.memoryBytes(),
                        options.run.budget.workers(),
                        options.run.bytesPerSecond()),
                new ImportSettings.Rejects(
                        options.run.rejectLimit(),
                        wanted ? options.run.bundle(SchemaFile.text(options.schema), String.valueOf(bundle)) : null),
                mode,
                options.run.conflictPolicy(),
                options.append,
                options.run.verify,
                options.run.sstWriter);
    }
}
