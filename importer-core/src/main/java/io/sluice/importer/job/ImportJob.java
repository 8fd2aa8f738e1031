package io.sluice.importer.job;

import io.sluice.api.error.BadInputException;
import io.sluice.api.error.ImportPausedException;
import io.sluice.api.error.NodeUnreachableException;
import io.sluice.api.error.OperationFailedException;
import io.sluice.api.error.SluiceException;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IndexSum;
import io.sluice.api.node.IngestReport;
import io.sluice.api.node.NodeClient;
import io.sluice.api.schema.TableDef;
import io.sluice.api.wire.SumBody;
import io.sluice.importer.bundle.BundleJob;
import io.sluice.importer.bundle.Manifest;
import io.sluice.importer.decode.RejectLog;
import io.sluice.importer.job.ConflictResolver.Decision;
import io.sluice.importer.ship.NodeGroup;
import io.sluice.importer.ship.Shipper;
import io.sluice.importer.sort.ConflictLog;
import io.sluice.importer.sort.MemoryBudget;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.sst.SstCutter;
import io.sluice.importer.sst.SstFormat;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
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
    /** Of the memory budget, the part that keys in conflict may take; they come while runs are merged. */
    private static final int CONFLICT_SHARE = 8;

    private final NodeClient node;
    private final TableDef table;
    private final List<InputFile> inputs;
    private final ImportSettings settings;
    private final ImportProgress progress;
    private final @Nullable UUID importId;
    private final @Nullable SplitPlanner planner;
    private final ImportClock clock;
    private ImportEvents events = ImportEvents.NONE;
    /** What the table was divided by, in mode two-pass. */
    private @Nullable String sample;
    /** Whether what fails now may be tried again later, because nodes keep what was done. */
    private boolean pausable;

    private boolean alreadyFinished;

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
        clock = new ImportClock(progress);
    }

    /** Names who is told how the import goes; before it is run. */
    public ImportJob observedBy(ImportEvents observer) {
        events = observer;
        return this;
    }

    /** Whether there was nothing left to do but to report what an earlier run of the same import did. */
    public boolean wasFinishedBefore() {
        return alreadyFinished;
    }

    /**
     * Runs the import to its end.
     *
     * @throws BadInputException when rows are rejected or conflict beyond what the settings allow
     * @throws OperationFailedException when the work cannot be done
     * @throws ImportPausedException when a node did not answer for too long, and the import can be resumed
     * @throws InterruptedException when the thread is interrupted; the import is undone
     */
    public ImportReport run() throws InterruptedException {
        settings.validate();
        if (settings.mode() == ImportSettings.Mode.TWO_PASS) {
            SamplePass.ensureReadableTwice(inputs);
        }
        long inputBytes = inputs.stream().mapToLong(InputFile::sizeBytes).reduce(0, ImportJob::sumOrUnknown);
        progress.expectBytes(inputBytes);
        JobDescription description = resumption().description();
        Outcome outcome = attempt(inputBytes, Decision.NONE, null, description);
        while (outcome.report() == null) {
            progress.restart();
            outcome = attempt(inputBytes, outcome.decision(), outcome.restarted(), description);
        }
        return outcome.report();
    }

    /**
     * What became of an attempt: the report, or what the next one is to do differently.
     *
     * @param report of an import that is over, or null
     * @param restarted the session to do it in; null: a new one
     */
    private record Outcome(
            @Nullable ImportReport report,
            Decision decision,
            @Nullable ImportSession restarted) {
        static Outcome done(ImportReport report, Decision decision) {
            return new Outcome(report, decision, null);
        }
    }

    private Outcome attempt(
            long inputBytes, Decision decision, @Nullable ImportSession restarted, @Nullable JobDescription description)
            throws InterruptedException {
        try (ImportSession session = restarted == null ? resumption().begin(node) : restarted;
                SstFormat format = new SstFormat();
                Shipper shipper = new Shipper(
                        session,
                        new SstCutter(settings.workDirectory(), format),
                        settings.workers(),
                        progress::deferred)) {
            if (session instanceof NodeGroup group) {
                progress.watch(group);
            }
            MemoryPlan memory = MemoryPlan.of(
                    settings.memoryBytes(),
                    settings.workers(),
                    table.secondaries().size(),
                    inputBytes);
            ConflictLog conflicts = new ConflictLog(
                    table.indexes().size(), ConflictReport.SHOWN, settings.memoryBytes() / CONFLICT_SHARE);
            ImportContext context = new ImportContext(
                    session.table(),
                    settings,
                    memory,
                    progress,
                    conflicts,
                    new MemoryBudget(memory.runBytes()),
                    format,
                    shipper,
                    session,
                    decision.dropped());
            return runOrPause(context, session, decision, description, inputBytes);
        } catch (IOException e) {
            throw DiskAdvice.failure(e);
        } catch (OperationFailedException e) {
            throw DiskAdvice.isDiskFull(e) ? DiskAdvice.failure(e) : e;
        }
    }

    private Outcome runOrPause(
            ImportContext context,
            ImportSession session,
            Decision decision,
            @Nullable JobDescription description,
            long inputBytes)
            throws IOException, InterruptedException {
        try {
            FinishedImport finished = session.resumed() ? FinishedImport.of(session) : null;
            if (finished != null) {
                BundleJob bundle = resumption().bundleJob(PastWork.of(session.table(), session.notes()));
                finished.publish(session);
                if (bundle != null) {
                    OpenBundle.complete(settings, table.name(), settings.mode().label(), bundle);
                }
                alreadyFinished = true;
                progress.enter(ImportProgress.Phase.DONE);
                return Outcome.done(finished.report(), decision);
            }
            PastWork past = Resumption.keepingPast(session, () -> resumption().past(session, description));
            return run(context, session, decision, past, inputBytes);
        } catch (NodeUnreachableException e) {
            if (importId == null) {
                throw e;
            }
            throw paused(context, session, e, "node " + e.node() + " is back");
        } catch (OperationFailedException e) {
            if (!pausable) {
                throw e;
            }
            throw paused(context, session, e, "that is mended");
        }
    }

    private ImportPausedException paused(
            ImportContext context, ImportSession session, OperationFailedException cause, String when) {
        context.shipper().stop();
        session.detach();
        SluiceException told = DiskAdvice.isDiskFull(cause) ? DiskAdvice.failure(cause) : cause;
        return new ImportPausedException(
                "the import into table " + table.name() + " is paused, because " + told.getMessage()
                        + "\nNodes keep what they have. When " + when + ", run the same command with --job-id "
                        + importId,
                cause);
    }

    private Resumption resumption() {
        return new Resumption(table, inputs, settings, importId, events);
    }

    private static long sumOrUnknown(long a, long b) {
        return a < 0 || b < 0 ? -1 : a + b;
    }

    private Outcome run(ImportContext context, ImportSession session, Decision decision, PastWork past, long inputBytes)
            throws IOException, InterruptedException {
        sample = past.sample();
        if (settings.mode() == ImportSettings.Mode.TWO_PASS && sample == null) {
            SamplePass pass = new SamplePass(context, inputs, Objects.requireNonNull(planner, "a split planner"));
            String sampled = clock.timed("sample", ImportProgress.Phase.SAMPLE, () -> pass.run(session));
            sample = sampled;
            if (resumption().keepsWatermarks()) {
                session.note(SamplePass.NOTE, sampled.getBytes(StandardCharsets.UTF_8));
            }
        }
        Reporting reporting = new Reporting(context, clock);
        Delivery delivery = Delivery.of(context);
        List<? extends IndexOutput> outputs = delivery.outputs();
        try (OpenBundle bundle = Resumption.keepingPast(session, () -> bundle(past))) {
            RejectLog rejects = new RejectLog(settings.maxRejects(), bundle.sink());
            rejects.goOnFrom(past.rejects(), past.rows());
            progress.goOnFrom(past.rows());
            context.conflicts().goOnFrom(past.repeated());
            Watermarks watermarks =
                    resumption().keepsWatermarks() ? watermarks(context, rejects, bundle, inputBytes) : null;
            InputReader reader = new InputReader(context.reading(), inputs);
            pausable = watermarks != null;
            List<IndexSum> encoded = clock.timed(
                    "import",
                    ImportProgress.Phase.IMPORT,
                    () -> reader.readOn(rejects, outputs, past.spans(), watermarks));
            List<IndexSum> handedOver = clock.timed("merge", ImportProgress.Phase.MERGE, delivery::finish);
            if (watermarks != null) {
                watermarks.noteDone();
                events.reached(ImportEvents.READ);
            }
            pausable = false;
            if (!settings.append() && context.conflicts().conflicts() > 0) {
                return again(context, decision, bundle, settings.mode() == ImportSettings.Mode.MERGE);
            }
            Verifier verifier = new Verifier(context.table());
            verifier.check("encoded", withoutRepeated(encoded, outputs), "handed over", handedOver);
            List<IndexSum> written = past.and(handedOver);

            IngestReport ingest = clock.timed("ingest", ImportProgress.Phase.INGEST, session::settle);
            clock.splitIngest(ingest.settleSeconds());
            if (settings.append()) {
                AppendStep.Met met =
                        clock.timed("verify", ImportProgress.Phase.VERIFY, () -> new AppendStep(context, inputs)
                                .meet(decision, written));
                if (met.again() != null) {
                    return repeat(session, bundle, met.again());
                }
                bundle.flush();
                publish(session, met.after());
                if (settings.verification() == ImportSettings.Verification.FULL) {
                    new AppendStep(context, inputs).readBack(node, met.after());
                }
                bundle.ended(Manifest.State.IMPORTED);
                progress.enter(ImportProgress.Phase.DONE);
                return Outcome.done(
                        reporting
                                .report(rejects, outputs, met.after(), ingest, met.decision(), sample)
                                .of(met.added()),
                        decision);
            }
            List<IndexSum> imported = clock.timed(
                    "verify", ImportProgress.Phase.VERIFY, () -> new StoreCheck(context, inputs).hold(written));
            if (context.conflicts().conflicts() > 0) {
                return again(context, decision, bundle, true);
            }
            bundle.flush();
            if (importId != null) {
                events.reached(ImportEvents.VERIFIED);
                new FinishedImport(
                                reporting.report(rejects, outputs, imported, ingest, decision, sample),
                                SumBody.of(imported))
                        .note(session);
                events.reached(ImportEvents.FINISHED);
            }
            publish(session, imported);
            bundle.ended(Manifest.State.IMPORTED);
            progress.enter(ImportProgress.Phase.DONE);
            return Outcome.done(reporting.report(rejects, outputs, imported, ingest, decision, sample), decision);
        } finally {
            for (IndexOutput output : outputs) {
                output.close();
            }
        }
    }

    private void publish(ImportSession session, List<IndexSum> sums) throws IOException, InterruptedException {
        clock.timed("publish", ImportProgress.Phase.PUBLISH, () -> {
            session.publish(sums);
            return sums;
        });
    }

    /** Undoes what was done, for another attempt. */
    private static Outcome repeat(ImportSession session, OpenBundle bundle, Decision decision) {
        bundle.discard();
        return new Outcome(null, decision, session.restart());
    }

    /** Rows have the same keys: finds out which of them give way. */
    private Outcome again(ImportContext context, Decision decision, OpenBundle bundle, boolean complete)
            throws IOException, InterruptedException {
        ConflictResolver.ensureFirst(decision);
        Decision next = new ConflictResolver(context, inputs).decide(complete, null);
        return repeat(context.session(), bundle, next);
    }

    private OpenBundle bundle(PastWork past) {
        return OpenBundle.of(
                settings, table.name(), settings.mode().label(), resumption().bundleJob(past));
    }

    private Watermarks watermarks(ImportContext context, RejectLog rejects, OpenBundle bundle, long inputBytes) {
        long groupBytes = Watermarks.groupBytes(context.memory(), settings.workers(), inputBytes);
        return new Watermarks(context, rejects, bundle, events, groupBytes);
    }

    private static List<IndexSum> withoutRepeated(List<IndexSum> encoded, List<? extends IndexOutput> outputs) {
        List<IndexSum> once = new ArrayList<>();
        for (int i = 0; i < encoded.size(); i++) {
            IndexSum all = encoded.get(i);
            once.add(new IndexSum(all.index(), all.sum().minus(outputs.get(i).heldBack())));
        }
        return once;
    }
}
