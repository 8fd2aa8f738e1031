package io.sluice.importer.job;

import io.sluice.api.error.BadInputException;
import io.sluice.api.error.ImportCancelledException;
import io.sluice.api.error.ImportPausedException;
import io.sluice.api.error.OperationFailedException;
import io.sluice.api.error.SluiceException;
import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.NodeClient;
import io.sluice.api.schema.TableDef;
import io.sluice.importer.job.ConflictResolver.Decision;
import io.sluice.importer.journal.Journal;
import io.sluice.importer.source.InputFile;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One import of files into a table, from bytes to visible rows:
 *
 * <ol>
 *   <li>begin: the node makes an invisible table and gives it the ids that keys carry
 *   <li>sample (mode two-pass): everything is read for keys that divide the table evenly, and the node is asked which
 *       of them it wants
 *   <li>read: workers take splits of the input ({@code source}), decode them into rows ({@code decode}), encode rows
 *       into KVs ({@code encode}) and sort those ({@code sort}); an index whose KVs come in order is written to SSTs at
 *       once ({@code sst})
 *   <li>merge (mode merge): sorted runs of the other indexes are merged into SSTs that do not overlap
 *   <li>ship: every SST is handed over to the node, which verifies it ({@code ship}); in mode direct while reading; in
 *       mode two-pass it is batches of KVs, while reading
 *   <li>settle: in mode merge all SSTs enter the node's LSM tree at once; in mode direct they are there, and the node
 *       merges what overlaps; in mode two-pass the node sorts what it got
 *   <li>verify: what was encoded, written and ingested adds up to the same
 *   <li>publish: the table becomes visible, at once
 * </ol>
 *
 * <p>When rows have the same key, and the settings say who is to stay, what was done is undone and done again without
 * the others ({@link ConflictResolver}). A table that exists gets all rows at once when the import is published
 * ({@link AppendStep}).
 *
 * <p>Whatever fails before the last step, the store is as it was.
 */
public final class ImportJob {
    private final NodeClient node;
    private final TableDef table;
    private final List<InputFile> inputs;
    private final ImportSettings settings;
    private final ImportProgress progress;
    private final @Nullable UUID importId;
    private final @Nullable SplitPlanner planner;
    private ImportEvents events = ImportEvents.NONE;
    private ImportControl control = new ImportControl();
    private @Nullable Path journal;
    private boolean alreadyFinished;
    private volatile @Nullable VerificationReport verification;

    /** An import that is not begun and cannot be resumed. The node and the progress stay the caller's. */
    public ImportJob(
            NodeClient node, TableDef table, List<InputFile> inputs, ImportSettings settings, ImportProgress progress) {
        this(node, table, inputs, settings, progress, null, null);
    }

    /**
     * An import that is not begun.
     *
     * @param importId names it for the nodes; who runs an import of the same id later goes on with it. Null: it cannot
     *     be resumed
     * @param planner finds the keys at which to divide the table; needed for mode two-pass, and unused otherwise
     */
    public ImportJob(
            NodeClient node,
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
        this.planner = planner;
    }

    /** Names who is told how the import goes; before it is run. */
    public ImportJob observedBy(ImportEvents observer) {
        events = observer;
        return this;
    }

    /** Names who may ask the import to stop; before it is run. */
    public ImportJob controlledBy(ImportControl hand) {
        control = hand;
        return this;
    }

    /**
     * Names a directory of the import's own in which KVs are journaled that nodes do not have for good, so that less is
     * read again when the import is cut off; before it is run. It is there as long as the import can be gone on with.
     */
    public ImportJob journaledIn(Path directory) {
        journal = directory;
        return this;
    }

    /** Whether an import of this kind keeps what is done when it is cut off or paused; others begin over. */
    public boolean keepsWatermarks() {
        return new Resumption(table, inputs, settings, importId, events).keepsWatermarks();
    }

    /** Whether there was nothing left to do but to report what an earlier run of the same import did. */
    public boolean wasFinishedBefore() {
        return alreadyFinished;
    }

    /** What verification has found, good or bad; null until it was done, and for what was finished before. */
    public @Nullable VerificationReport verification() {
        return verification;
    }

    /**
     * Runs the import to its end.
     *
     * @throws BadInputException when rows are rejected or conflict beyond what the settings allow
     * @throws OperationFailedException when the work cannot be done
     * @throws ImportPausedException when it was asked for, or a node did not answer for too long and the import can be
     *     resumed
     * @throws ImportCancelledException when it was asked for; the import is undone
     * @throws InterruptedException when the thread is interrupted; the import is undone
     */
    public ImportReport run() throws InterruptedException {
        settings.validate();
        if (settings.mode() == ImportSettings.Mode.TWO_PASS) {
            SamplePass.ensureReadableTwice(inputs);
        }
        long inputBytes = inputs.stream().mapToLong(InputFile::sizeBytes).reduce(0, ImportJob::sumOrUnknown);
        progress.expectBytes(inputBytes);
        progress.expect(inputs.size(), table.indexes().size());
        ImportSetup setup = new ImportSetup(
                node,
                table,
                inputs,
                settings,
                progress,
                importId,
                planner,
                events,
                control,
                new ImportClock(progress),
                journal,
                inputBytes,
                report -> verification = report);
        progress.watch(node);
        control.attach();
        try {
            ImportReport report = attempts(setup);
            String left = forgetJournal();
            return left == null ? report : report.warning(List.of(left));
        } catch (ImportPausedException e) {
            throw e;
        } catch (SluiceException | InterruptedException e) {
            // Anything else is a defect: what it has left is as what a process leaves that is killed.
            String left = forgetJournal();
            if (left != null) {
                e.addSuppressed(new OperationFailedException(left));
            }
            throw e;
        } finally {
            if (control.stopped() != ImportControl.Request.NONE) {
                // Whatever it ended with: the flag was this import's, and is not its caller's.
                boolean unused = Thread.interrupted();
            }
        }
    }

    /** Removes the journal of an import that is over; says what went wrong about that, or null. */
    private @Nullable String forgetJournal() {
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
        ImportAttempt attempt = new ImportAttempt(setup, description, Decision.NONE);
        ImportAttempt.Outcome outcome = attempt.run(null);
        while (outcome.report() == null) {
            progress.restart();
            attempt = new ImportAttempt(setup, description, outcome.decision());
            outcome = attempt.run(outcome.restarted());
        }
        alreadyFinished = attempt.wasFinishedBefore();
        return outcome.report();
    }

    /**
     * Undoes an import that was paused, or broke off, without reading any of its input; it takes as long whatever was
     * imported.
     *
     * @param mode that it was begun in
     * @return whether nothing is left of it; false when it is finished, and its table is there or about to be
     * @throws BadInputException when another import is known by the id, or another table by the name
     * @throws OperationFailedException when a node cannot do it
     */
    public static boolean abandon(NodeClient node, TableDef table, ImportSettings.Mode mode, UUID importId) {
        try (ImportSession session = node.beginImport(new ImportRequest(table, Delivery.timing(mode), importId, 0))) {
            boolean finished = session.resumed() && FinishedImport.of(table.name(), session.checkpoints()) != null;
            if (finished) {
                // Some of several nodes may have published it.
                session.detach();
            }
            return !finished;
        }
    }

    /**
     * Publishes an import of which nothing else is left to do, without looking at its input. Any other stays as it is.
     *
     * @param mode that it was begun in
     * @return its report; null when there is no such import
     * @throws BadInputException when another import is known by the id, or another table by the name
     * @throws OperationFailedException when a node cannot do it
     */
    public static @Nullable ImportReport publishFinished(
            NodeClient node, TableDef table, ImportSettings.Mode mode, UUID importId) {
        try (ImportSession session = node.beginImport(new ImportRequest(table, Delivery.timing(mode), importId, 0))) {
            if (!session.resumed()) {
                return null;
            }
            try {
                FinishedImport finished = FinishedImport.of(table.name(), session.checkpoints());
                if (finished != null) {
                    finished.publish(session);
                    return finished.report();
                }
                return null;
            } finally {
                // Of what was published nothing is left to leave.
                session.detach();
            }
        }
    }

    private static long sumOrUnknown(long a, long b) {
        return a < 0 || b < 0 ? -1 : a + b;
    }
}
