package io.sluice.importer.job;

import io.sluice.api.node.ImportTarget;
import io.sluice.importer.job.attempt.ImportAttempt;
import io.sluice.importer.job.attempt.ImportSetup;
import io.sluice.importer.job.attempt.SamplePass;
import io.sluice.importer.job.read.OpenBundle;
import io.sluice.importer.job.report.ImportClock;
import io.sluice.importer.job.resume.FinishedImport;
import io.sluice.importer.job.resume.JobDescription;
import io.sluice.importer.job.resume.Resumption;
import io.sluice.importer.job.verify.AppendStep;
import io.sluice.importer.job.verify.ConflictResolver;
import io.sluice.importer.job.verify.ConflictResolver.Decision;
import io.sluice.importer.journal.Journal;
import io.sluice.importer.source.InputFile;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.ImportPausedException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.SluiceException;
import io.sluice.model.schema.TableDef;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One import of files into a table, from bytes to visible rows:
 *
 * <ol>
 *   <li>begin: the node creates an invisible table and assigns the ids that keys carry
 *   <li>sample (mode two-pass): the importer reads all input for keys that split the table evenly; the node chooses
 *       from them
 *   <li>read: workers take splits of the input ({@code source}), decode them into rows ({@code decode}), encode rows
 *       into KVs ({@code encode}) and sort those ({@code sort}); an index whose KVs come in order becomes SSTs at once
 *       ({@code sst})
 *   <li>merge (mode merge): sorted runs of the other indexes are merged into SSTs that do not overlap
 *   <li>ship: the importer hands every SST over to the node, which verifies it ({@code ship}). Mode direct ships while
 *       reading. Mode two-pass ships batches of KVs while reading
 *   <li>finalize: in mode merge all SSTs enter the node's LSM tree at once. In mode direct they are there already, and
 *       the node merges those that overlap. In mode two-pass the node sorts the KVs it got
 *   <li>verify: the checksums of what was encoded, written and ingested agree
 *   <li>publish: the table becomes visible, at once
 * </ol>
 *
 * <p>When rows have the same key and the policy chooses between them, the import undoes its work and starts over
 * without the losing rows ({@link ConflictResolver}). An existing table gets all rows at once when the import is
 * published ({@link AppendStep}).
 *
 * <p>If a step before the last one fails, the store is unchanged.
 */
public final class ImportJob {
    private final ImportTarget node;
    private final TableDef table;
    private final List<InputFile> inputs;
    private final ImportSettings settings;
    private final ImportProgress progress;
    private final @Nullable UUID importId;
    private final @Nullable SplitPlanner planner;
    private ImportEvents events = ImportEvents.NONE;
    private ImportControl control = new ImportControl();
    private @Nullable Path journal;
    private @Nullable String name;
    private @Nullable FinishedImport finishedBefore;
    private volatile @Nullable VerificationReport verification;

    /** Creates an import that cannot be resumed. The caller closes the node. */
    public ImportJob(
            ImportTarget node,
            TableDef table,
            List<InputFile> inputs,
            ImportSettings settings,
            ImportProgress progress) {
        this(node, table, inputs, settings, progress, null, null);
    }

    /**
     * Creates an import.
     *
     * @param importId id of the import on the nodes; a later run with the same id resumes it. Null: it cannot be
     *     resumed
     * @param planner finds the keys that split the table; needed for mode two-pass, and used by mode direct on several
     *     nodes
     */
    public ImportJob(
            ImportTarget node,
            TableDef table,
            List<InputFile> inputs,
            ImportSettings settings,
            ImportProgress progress,
            @Nullable UUID importId,
            @Nullable SplitPlanner planner) {
        this.node = node;
        this.table = table;
        this.inputs = List.copyOf(inputs);
        this.settings = settings;
        this.progress = progress;
        this.importId = importId;
        name = importId == null ? null : importId.toString();
        this.planner = planner;
    }

    /** Sets the listener to the import's events; call before {@link #run}. */
    public ImportJob observedBy(ImportEvents observer) {
        events = observer;
        return this;
    }

    /** Sets the control that can stop the import; call before {@link #run}. */
    public ImportJob controlledBy(ImportControl stopControl) {
        control = stopControl;
        return this;
    }

    /**
     * Sets a directory for the journal of KVs that nodes do not have durably, so that an interrupted import reads less
     * again. The directory belongs to this import and exists as long as the import can be resumed. Call before
     * {@link #run}.
     */
    public ImportJob journaledIn(Path directory) {
        journal = directory;
        return this;
    }

    /** Sets the id of the import as the user gave it, for messages; call before {@link #run}. */
    public ImportJob named(String given) {
        name = given;
        return this;
    }

    private Resumption resumption() {
        return new Resumption(table, inputs, settings, importId, name, events);
    }

    /** Whether an interrupted or paused import of this kind keeps its work; others start over. */
    public boolean keepsCheckpoints() {
        return resumption().keepsCheckpoints();
    }

    /** Whether an earlier run had finished the import, and this run only reported it. */
    public boolean wasFinishedBefore() {
        return finishedBefore != null;
    }

    /** Whether that earlier run had other inputs, or another format: then the inputs of this one are not imported. */
    public boolean finishedOther() {
        return finishedBefore != null && !finishedBefore.isOf(resumption().fingerprint());
    }

    /** The result of the verification, good or bad; null before it, and for an import that an earlier run finished. */
    public @Nullable VerificationReport verification() {
        return verification;
    }

    /**
     * Runs the import to its end.
     *
     * @throws BadInputException when rows are rejected or conflict beyond what the settings allow
     * @throws OperationFailedException when the work cannot be done
     * @throws ImportPausedException when a pause was requested, or when the import can be resumed and a node did not
     *     answer for too long
     * @throws InterruptedException when the thread is interrupted; the import is undone
     */
    public ImportReport run() throws InterruptedException {
        settings.validate();
        if (settings.mode() == ImportSettings.Mode.TWO_PASS) {
            SamplePass.ensureReadableTwice(inputs);
        }
        progress.expectBytes(InputFile.sum(inputs, InputFile::sizeBytes));
        progress.expect(inputs.size(), table.indexes().size());
        ImportSetup setup = new ImportSetup(
                node,
                resumption(),
                planner,
                control,
                new ImportClock(progress),
                journal,
                InputFile.sum(inputs, InputFile::textBytes),
                report -> verification = report);
        progress.watch(node);
        control.attach();
        try {
            ImportReport report = attempts(setup);
            String left = deleteJournal();
            return left == null ? report : report.warning(List.of(left));
        } catch (ImportPausedException e) {
            throw e;
        } catch (SluiceException | InterruptedException e) {
            // Anything else is a defect: its remains are those of a killed process.
            String left = deleteJournal();
            if (left != null) {
                e.addSuppressed(new OperationFailedException(left));
            }
            throw e;
        } finally {
            if (control.stopped()) {
                // The interrupt was meant for this import, not for the caller.
                boolean unused = Thread.interrupted();
            }
        }
    }

    /** Deletes the journal of a finished import; returns an error text, or null. */
    private @Nullable String deleteJournal() {
        try {
            if (journal != null) {
                Journal.delete(journal);
            }
            return null;
        } catch (OperationFailedException e) {
            return e.getMessage() + "; remove it by hand";
        }
    }

    private ImportReport attempts(ImportSetup setup) throws InterruptedException {
        JobDescription description = setup.prepare(setup.resumption()::description);
        ImportAttempt.Outcome outcome = new ImportAttempt(setup, description, Decision.NONE).run(null);
        while (outcome.report() == null) {
            progress.restart();
            outcome = new ImportAttempt(setup, description, outcome.decision()).run(outcome.restarted());
        }
        finishedBefore = outcome.finishedBefore();
        return outcome.report();
    }

    /**
     * Undoes a paused or interrupted import without reading its input. The time does not depend on the size of the
     * import.
     *
     * @param mode the mode it was begun in
     * @return whether the import is gone; false if it is finished, and its table is published or about to be
     * @throws BadInputException when the id belongs to another import, or the name to another table
     * @throws OperationFailedException when a node fails
     */
    public static boolean abandon(ImportTarget node, TableDef table, ImportSettings.Mode mode, UUID importId) {
        return FinishedImport.abandonUnfinished(node, table, mode, importId);
    }

    /**
     * Publishes a finished import without reading its input, and completes its bundle of rejects. An unfinished one
     * stays as it is.
     *
     * @param mode the mode it was begun in
     * @param bundle directory of the bundle; it need not exist
     * @return its report; null if there is no such import
     * @throws BadInputException when the id belongs to another import, or the name to another table
     * @throws OperationFailedException when a node fails
     */
    public static @Nullable ImportReport publishFinished(
            ImportTarget node, TableDef table, ImportSettings.Mode mode, UUID importId, Path bundle) {
        ImportReport report = FinishedImport.publishFinished(node, table, mode, importId);
        String problem = report == null
                ? null
                : OpenBundle.complete(bundle, report.rows().rejects().bundle());
        return report == null || problem == null ? report : report.warning(List.of(problem));
    }
}
