package io.sluice.cli.imports;

import io.sluice.api.node.NodeClient;
import io.sluice.cli.node.LocalNodes;
import io.sluice.cli.node.LocalNodes.ImportNode;
import io.sluice.cli.output.Console;
import io.sluice.importer.bundle.BundleSettings;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.job.DryRun;
import io.sluice.importer.job.ImportControl;
import io.sluice.importer.job.ImportEvents;
import io.sluice.importer.job.ImportJob;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.ImportReport;
import io.sluice.importer.job.ImportSettings;
import io.sluice.importer.options.RejectOptions;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.ImportPausedException;
import io.sluice.model.schema.Table;
import io.sluice.node.ingest.FaultPoints;
import io.sluice.sampler.AutoMode;
import io.sluice.sampler.ModeChoice;
import io.sluice.sampler.SampledPlanner;
import java.nio.file.Path;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Imports files into one table, as the options say.
 *
 * @param schema tables of the run
 * @param inputs the table and its files
 * @param format of the files
 * @param several whether the run imports other tables too: job ids and reject bundles then have the table's name
 */
record TableImport(
        ImportOptions options,
        Console console,
        DeclaredTables schema,
        TableInputs inputs,
        InputFormat format,
        boolean several) {

    /** The report of a finished import, and the reason for its mode. */
    record Done(ImportReport report, String modeWhy) {}

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

    /** Imports the files. All checks of arguments and inputs are done: it creates the store. */
    Done run(LocalNodes nodes) {
        Path store = options.store;
        try (NewStore made = store == null ? NewStore.none() : NewStore.at(store)) {
            return run(nodes, made);
        }
    }

    private Done run(LocalNodes nodes, NewStore made) {
        Path store = options.store;
        ImportNode node = store == null ? remote() : nodes.openForImport(store);
        made.opened();
        ImportReport report = null;
        try (var client = node.client();
                WorkDirectory work =
                        WorkDirectory.in(options.run.tmp == null ? node.workDirectory() : options.run.tmp)) {
            ModeChoice mode = mode(store, work);
            ImportProgress progress = new ImportProgress();
            UUID importId = options.importId(several ? inputs.table().name() : null);
            ImportJob job = new ImportJob(
                    client,
                    inputs.table(),
                    inputs.files(),
                    settings(
                            work.path(),
                            mode.mode(),
                            importId == null
                                    ? RejectOptions.unusedBundle(inputs.table().name())
                                    : importId.toString()),
                    progress,
                    importId,
                    new SampledPlanner(inputs.table().indexes().size(), options.seed));
            ImportRun run = new ImportRun(console, options.run);
            run.tell("mode " + mode.mode().label() + ": " + mode.why());
            if (importId != null) {
                String name = options.jobId == null ? importId.toString() : options.jobId;
                job.named(name);
                run.tell("job " + name + ": if it is interrupted, the same command resumes it with --job-id " + name);
            }
            ImportControl control = new ImportControl().givingUpAfter(options.target.giveUpAfterMillis());
            ImportReport ran = run.watched(
                    progress, "import", job.controlledBy(control).observedBy(new Observer(run, nodes.faults()))::run);
            made.keep();
            if (job.finishedOther()) {
                throw new BadInputException("the import of this --job-id is finished, with other inputs or another"
                        + " format: table " + inputs.table().name() + " has the rows of those, and none of these."
                        + " Import these under another --job-id, or with --append and without --job-id");
            }
            report = ran;
            if (job.wasFinishedBefore()) {
                run.tell("already imported: this is the report of the run that finished it");
            }
            return new Done(ran, mode.why());
        } catch (ImportPausedException e) {
            made.keep();
            throw e;
        } catch (RuntimeException e) {
            // Thrown when the temporary files or the store are closed.
            throw report == null ? e : ImportRun.afterPublication(e);
        }
    }

    private ModeChoice mode(@Nullable Path store, WorkDirectory work) {
        if (options.append) {
            return new ModeChoice(ImportSettings.Mode.MERGE, "--append brings all rows in at once");
        }
        ImportSettings.Mode asked = options.chosenMode();
        return asked == null
                ? new AutoMode(options.run.budget.memoryBytes(), options.run.budget.workers(), options.nodes())
                        .choose(inNewStore(), inputs.files(), format, work.path(), store)
                : new ModeChoice(asked, "asked for");
    }

    /** Opens remote nodes. Temporary files go to the system's directory for them. */
    private ImportNode remote() {
        NodeClient nodes = options.jobId == null
                ? options.target.openForNew(line -> new ImportRun(console, options.run).tell(line))
                : options.target.open();
        return new ImportNode(nodes, Path.of(System.getProperty("java.io.tmpdir")));
    }

    /** Decodes and encodes all rows, and imports nothing. */
    DryRun.Result dryRun() {
        ImportProgress progress = new ImportProgress();
        DryRun dry = new DryRun(
                inNewStore(), inputs.files(), settings(Path.of(""), ImportSettings.Mode.MERGE, null), progress);
        return new ImportRun(console, options.run).watched(progress, "dry run", dry::run);
    }

    private Table inNewStore() {
        return Table.inNewStore(schema.tables(), inputs.table());
    }

    /**
     * Builds the settings from the options.
     *
     * @param bundle name of the reject bundle if --rejects is not given; null for no bundle
     */
    private ImportSettings settings(Path work, ImportSettings.Mode mode, @Nullable String bundle) {
        boolean wanted = bundle != null || options.run.rejects.named();
        String below = several ? inputs.table().name() : null;
        BundleSettings rejects = wanted ? options.run.bundle(schema.text(), String.valueOf(bundle), below) : null;
        return options.run.settings(format, work, mode, options.append, rejects);
    }
}
