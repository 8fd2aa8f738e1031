package io.sluice.importer.job;

import io.sluice.api.error.BadInputException;
import io.sluice.api.error.ImportPausedException;
import io.sluice.api.error.NodeUnreachableException;
import io.sluice.api.error.OperationFailedException;
import io.sluice.api.error.SluiceException;
import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IndexSum;
import io.sluice.api.node.IngestReport;
import io.sluice.api.node.NodeClient;
import io.sluice.api.node.TableDigest;
import io.sluice.api.schema.Table;
import io.sluice.api.schema.TableDef;
import io.sluice.api.wire.SumBody;
import io.sluice.importer.bundle.BundleJob;
import io.sluice.importer.bundle.Manifest;
import io.sluice.importer.conflict.ConflictPolicy;
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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Supplier;
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

    /** Some 250 bytes each, for what it is and how far it was read: 25 MB of the 64 that a node keeps. */
    private static final int MOST_INPUTS = 100_000;

    private final NodeClient node;
    private final TableDef table;
    private final List<InputFile> inputs;
    private final ImportSettings settings;
    private final ImportProgress progress;
    private final @Nullable UUID importId;
    private final @Nullable SplitPlanner planner;
    private final Map<String, Double> seconds = new LinkedHashMap<>();
    private final long startNanos = System.nanoTime();
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
     * Whether what an attempt at the import did is done for good. Runs of mode merge end with their process, what can
     * be read but once cannot be gone on with, and where rows give way to others the whole input decides which. Of very
     * many inputs the notes would be too long.
     */
    private boolean keepsWatermarks() {
        return importId != null
                && !settings.append()
                && settings.onConflict() == ConflictPolicy.ERROR
                && settings.mode() != ImportSettings.Mode.MERGE
                && inputs.size() <= MOST_INPUTS
                && inputs.stream().allMatch(InputFile::repeatable);
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
        JobDescription description = keepsWatermarks() ? JobDescription.of(settings, inputs) : null;
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
        try (ImportSession session = restarted == null ? begin() : restarted;
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

    /** Begins the import, or goes on with what an earlier attempt at it has left, if that can be gone on with. */
    private ImportSession begin() {
        if (settings.append()) {
            return node.beginImport(ImportRequest.append(table));
        }
        ImportRequest request = new ImportRequest(table, Delivery.timing(settings.mode()), importId, 0);
        ImportSession session = node.beginImport(request);
        if (session.resumed() && FinishedImport.of(session) == null) {
            boolean goesOn = keepsWatermarks() && JobDescription.isNoted(session.notes());
            if (!goesOn) {
                session.close();
                return node.beginImport(request);
            }
        }
        return session;
    }

    /** What earlier attempts have done; the first one describes itself for those that may follow. */
    private PastWork pastWork(ImportSession session, @Nullable JobDescription description) {
        if (description == null) {
            return PastWork.none(session.table());
        }
        if (!session.resumed()) {
            events.reached(ImportEvents.BEGUN);
            description.note(session);
            events.reached(ImportEvents.DESCRIBED);
            return PastWork.none(session.table());
        }
        Map<String, byte[]> notes = session.notes();
        description.check(notes);
        PastWork past = PastWork.of(session.table(), notes);
        events.tell("going on with the import: " + past.rows() + " rows were imported before");
        return past;
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
                BundleJob bundle = bundleJob(PastWork.of(session.table(), session.notes()));
                finished.publish(session);
                if (bundle != null) {
                    OpenBundle.complete(settings, table.name(), settings.mode().label(), bundle);
                }
                alreadyFinished = true;
                progress.enter(ImportProgress.Phase.DONE);
                return Outcome.done(finished.report(), decision);
            }
            PastWork past = keepingPast(session, () -> pastWork(session, description));
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

    /** Prepares to go on. If that fails, what was done before stays, for whoever comes with what is right. */
    private static <T> T keepingPast(ImportSession session, Supplier<T> preparation) {
        try {
            return preparation.get();
        } catch (RuntimeException e) {
            if (session.resumed()) {
                session.detach();
            }
            throw e;
        }
    }

    private static long sumOrUnknown(long a, long b) {
        return a < 0 || b < 0 ? -1 : a + b;
    }

    private Outcome run(ImportContext context, ImportSession session, Decision decision, PastWork past, long inputBytes)
            throws IOException, InterruptedException {
        sample = past.sample();
        if (settings.mode() == ImportSettings.Mode.TWO_PASS && sample == null) {
            SamplePass pass = new SamplePass(context, inputs, Objects.requireNonNull(planner, "a split planner"));
            String sampled = timed("sample", ImportProgress.Phase.SAMPLE, () -> pass.run(session));
            sample = sampled;
            if (keepsWatermarks()) {
                session.note(SamplePass.NOTE, sampled.getBytes(StandardCharsets.UTF_8));
            }
        }
        Delivery delivery = Delivery.of(context);
        List<? extends IndexOutput> outputs = delivery.outputs();
        try (OpenBundle bundle = keepingPast(session, () -> bundle(past))) {
            RejectLog rejects = new RejectLog(settings.maxRejects(), bundle.sink());
            rejects.goOnFrom(past.rejects(), past.rows());
            progress.goOnFrom(past.rows());
            context.conflicts().goOnFrom(past.repeated());
            Watermarks watermarks = keepsWatermarks() ? watermarks(context, rejects, bundle, inputBytes) : null;
            InputReader reader = new InputReader(context.reading(), inputs);
            pausable = watermarks != null;
            List<IndexSum> encoded = timed(
                    "import",
                    ImportProgress.Phase.IMPORT,
                    () -> reader.readOn(rejects, outputs, past.spans(), watermarks));
            List<IndexSum> handedOver = timed("merge", ImportProgress.Phase.MERGE, delivery::finish);
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

            IngestReport ingest = timed("ingest", ImportProgress.Phase.INGEST, session::settle);
            double compact = toSeconds((long) (ingest.settleSeconds() * 1e9));
            seconds.computeIfPresent("ingest", (name, both) -> toSeconds((long) (Math.max(0, both - compact) * 1e9)));
            seconds.put("compact", compact);
            if (settings.append()) {
                AppendStep.Met met = timed("verify", ImportProgress.Phase.VERIFY, () -> new AppendStep(context, inputs)
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
                        report(context, rejects, outputs, met.after(), ingest, met.decision())
                                .of(met.added()),
                        decision);
            }
            List<IndexSum> imported =
                    timed("verify", ImportProgress.Phase.VERIFY, () -> verify(context, verifier, session, written));
            if (context.conflicts().conflicts() > 0) {
                return again(context, decision, bundle, true);
            }
            bundle.flush();
            if (importId != null) {
                events.reached(ImportEvents.VERIFIED);
                new FinishedImport(report(context, rejects, outputs, imported, ingest, decision), SumBody.of(imported))
                        .note(session);
                events.reached(ImportEvents.FINISHED);
            }
            publish(session, imported);
            bundle.ended(Manifest.State.IMPORTED);
            progress.enter(ImportProgress.Phase.DONE);
            return Outcome.done(report(context, rejects, outputs, imported, ingest, decision), decision);
        } finally {
            for (IndexOutput output : outputs) {
                output.close();
            }
        }
    }

    private void publish(ImportSession session, List<IndexSum> sums) throws IOException, InterruptedException {
        timed("publish", ImportProgress.Phase.PUBLISH, () -> {
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
        return OpenBundle.of(settings, table.name(), settings.mode().label(), bundleJob(past));
    }

    /** What a bundle must know of the import to go on with it; null when it cannot. */
    private @Nullable BundleJob bundleJob(PastWork past) {
        UUID id = keepsWatermarks() ? importId : null;
        return id == null ? null : new BundleJob(id, inputs, past.spans(), past.rejects());
    }

    private Watermarks watermarks(ImportContext context, RejectLog rejects, OpenBundle bundle, long inputBytes) {
        long groupBytes = Watermarks.groupBytes(context.memory(), settings.workers(), inputBytes);
        return new Watermarks(context, rejects, bundle, events, groupBytes);
    }

    /** Holds the store to what was written; returns what the table adds up to. */
    private List<IndexSum> verify(
            ImportContext context, Verifier verifier, ImportSession session, List<IndexSum> written)
            throws IOException, InterruptedException {
        List<IndexSum> expected = written;
        // What an earlier attempt shipped and did not note was shipped again: only reading tells each KV once.
        boolean countable = !session.resumed();
        List<IndexSum> present =
                countable ? session.present() : session.readBack().indexes();
        boolean readBack = countable && settings.verification() == ImportSettings.Verification.FULL;
        if (Verifier.countsFallShort(written, present)) {
            // Keys came in several SSTs: rows that were repeated, or conflicts. Only the input can tell.
            expected = new RepeatSearch(context, inputs).run();
            readBack = true;
        } else {
            verifier.check("handed over", written, "in the store", present);
        }
        if (readBack && context.conflicts().conflicts() == 0) {
            verifier.check(
                    "handed over",
                    expected,
                    "read back from the store",
                    session.readBack().indexes());
        }
        return expected;
    }

    private interface Step<T> {
        T run() throws IOException, InterruptedException;
    }

    private <T> T timed(String name, ImportProgress.Phase phase, Step<T> step)
            throws IOException, InterruptedException {
        progress.enter(phase);
        long start = System.nanoTime();
        T result = step.run();
        seconds.put(name, secondsSince(start));
        return result;
    }

    private static double secondsSince(long startNanos) {
        return toSeconds(System.nanoTime() - startNanos);
    }

    /** Seconds with three decimals. */
    private static double toSeconds(long nanos) {
        return Math.round(nanos / 1e6) / 1e3;
    }

    private static List<IndexSum> withoutRepeated(List<IndexSum> encoded, List<? extends IndexOutput> outputs) {
        List<IndexSum> once = new ArrayList<>();
        for (int i = 0; i < encoded.size(); i++) {
            IndexSum all = encoded.get(i);
            once.add(new IndexSum(all.index(), all.sum().minus(outputs.get(i).heldBack())));
        }
        return once;
    }

    private Map<String, Double> stages() {
        Map<String, Double> stages = new LinkedHashMap<>();
        for (Stage stage : Stage.values()) {
            stages.put(stage.label(), toSeconds(progress.stageNanos(stage)));
        }
        return stages;
    }

    private ImportReport report(
            ImportContext context,
            RejectLog rejects,
            List<? extends IndexOutput> outputs,
            List<IndexSum> written,
            IngestReport ingest,
            Decision decision) {
        Table bound = context.table();
        Map<String, Long> kvs = new LinkedHashMap<>();
        written.forEach(sum -> kvs.put(sum.index(), sum.sum().count()));
        seconds.put("total", secondsSince(startNanos));
        double bytesIngested = Math.max(1, ingest.bytesIngested());
        return new ImportReport(
                bound.name(),
                rejects.count() == 0
                                && (decision.dropped().isEmpty() || settings.onConflict() != ConflictPolicy.CAPTURE)
                        ? ImportReport.SUCCEEDED
                        : ImportReport.WITH_REJECTS,
                settings.mode().label(),
                progress.rows() + rejects.count() + decision.dropped().count(),
                written.get(0).sum().count(),
                rejects.count(),
                context.conflicts().duplicates(0),
                decision.conflicts(),
                kvs,
                progress.bytesRead(),
                seconds,
                ingest.ssts(),
                ingest.puts(),
                ingest.maxHeight(),
                ingest.l0Files(),
                1 + ingest.bytesWritten() / bytesIngested,
                outputs.stream().mapToLong(IndexOutput::spilledBytes).sum(),
                true,
                new TableDigest(bound.name(), written).digest(),
                stages(),
                progress.limiter(),
                sample,
                ingest.peakBufferBytes(),
                decision.dropped().count(),
                decision.replaced().size());
    }
}
