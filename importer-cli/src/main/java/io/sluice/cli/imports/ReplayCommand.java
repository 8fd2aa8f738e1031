package io.sluice.cli.imports;

import io.sluice.api.node.NodeClient;
import io.sluice.api.node.TableStatus;
import io.sluice.cli.ExitCode;
import io.sluice.cli.node.LocalNodes;
import io.sluice.cli.node.LocalNodes.ImportNode;
import io.sluice.cli.output.Console;
import io.sluice.importer.bundle.Bundle;
import io.sluice.importer.bundle.BundleCheck;
import io.sluice.importer.job.ImportJob;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.ImportReport;
import io.sluice.importer.job.ImportSettings;
import io.sluice.importer.source.InputFile;
import io.sluice.model.error.BadInputException;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.TableDef;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sluice replay}: imports the repaired rows of a reject bundle into their table. */
@Command(
        name = "replay",
        description = "Import the repaired rows of a reject bundle into their table.",
        footer = {"", "Bundles are described in docs/how-to/rejects.md."})
@SuppressWarnings("NullAway.Init") // picocli sets the options
public final class ReplayCommand implements Callable<Integer> {
    private final LocalNodes nodes;
    private final Console console;

    @Parameters(index = "0", paramLabel = "BUNDLE", description = "Directory of the bundle, as given to --rejects.")
    Path bundle;

    @Option(
            names = "--store",
            paramLabel = "DIR",
            required = true,
            description = "Directory of the store with the table.")
    Path store;

    @Mixin
    RunOptions options;

    public ReplayCommand(LocalNodes nodes, Console console) {
        this.nodes = nodes;
        this.console = console;
    }

    @Override
    public Integer call() {
        List<String> problems = new ArrayList<>();
        options.validate(problems);
        if (!Files.isDirectory(store)) {
            problems.add("--store " + store + ": no such store; name the one that the import went to");
        }
        if (!problems.isEmpty()) {
            throw new BadInputException(String.join("\n", problems));
        }
        Bundle opened = Bundle.open(bundle);
        requirePrimaryKey(opened.table());
        BundleCheck check = BundleCheck.of(opened, ImportSettings.MAX_RECORD_BYTES);
        tell(check);
        if (check.records() == 0) {
            return check.cut().isEmpty() ? 0 : ExitCode.REJECTS;
        }
        ImportReport report = run(opened, opened.inputs());
        new ImportRun(console, options)
                .printPublished(() -> ReportPrinter.json(report), () -> ReportPrinter.text(report));
        return report.withoutRejects() && check.cut().isEmpty() ? 0 : ExitCode.REJECTS;
    }

    private void tell(BundleCheck check) {
        if (!options.quiet) {
            console.err()
                    .printf(
                            "sluice: %d records to replay, %d of them as they were rejected%n",
                            check.records(), check.unchanged());
        }
        for (String place : check.cut()) {
            console.err()
                    .println("sluice: not replayed, because the bundle has only a part of a record that was too long: "
                            + place);
        }
    }

    private ImportReport run(Bundle opened, List<InputFile> inputs) {
        ImportNode node = nodes.openForImport(store);
        ImportReport report = null;
        try (var client = node.client();
                WorkDirectory work = WorkDirectory.in(options.tmp == null ? node.workDirectory() : options.tmp)) {
            requireImportable(client, opened.table());
            ImportSettings settings = new ImportSettings(
                    opened.format(),
                    new ImportSettings.Resources(
                            work.path(),
                            options.budget.memoryBytes(),
                            options.budget.workers(),
                            options.bytesPerSecond()),
                    new ImportSettings.Rejects(
                            options.rejectLimit(),
                            options.bundle(
                                    opened.manifest().imported().schema(),
                                    RunOptions.unusedBundle(opened.table().name()),
                                    null)),
                    ImportSettings.Mode.MERGE,
                    options.conflictPolicy(),
                    true,
                    options.verify,
                    options.sstWriter);
            ImportProgress progress = new ImportProgress();
            ImportJob job = new ImportJob(client, opened.table(), inputs, settings, progress);
            report = new ImportRun(console, options).watched(progress, job::run);
            return report;
        } catch (RuntimeException e) {
            throw report == null ? e : ImportRun.afterPublication(e);
        }
    }

    /** Refuses a table without a primary key: each replay would add its rows again. */
    private static void requirePrimaryKey(TableDef table) {
        if (table.columns().stream().anyMatch(Column::hidden)) {
            throw new BadInputException("table " + table.name()
                    + " has no primary key, so its rows would be imported again by every replay;"
                    + " import the repaired file together with the others into a new table");
        }
    }

    /**
     * Checks that the table exists and has the definition in the bundle.
     *
     * @throws BadInputException if not
     */
    private static void requireImportable(NodeClient node, TableDef table) {
        TableStatus status = node.table(table.name());
        if (status == null) {
            throw new BadInputException("the store has no table " + table.name()
                    + ": the import that left the bundle failed, or went to another store;"
                    + " repair the input and import it again");
        }
        if (!status.table().def().equals(table)) {
            throw new BadInputException("table " + table.name()
                    + " of the store is declared differently in the bundle: it was dropped and created again."
                    + " Import the repaired file with the present schema");
        }
    }
}
