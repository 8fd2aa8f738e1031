package io.sluice.importer.job;

import io.sluice.api.error.BadInputException;
import io.sluice.api.error.ImportPausedException;
import io.sluice.api.error.NodeUnreachableException;
import io.sluice.api.error.OperationFailedException;
import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IndexSum;
import io.sluice.api.node.IngestReport;
import io.sluice.api.node.NodeClient;
import io.sluice.api.node.TableDigest;
import io.sluice.api.schema.Table;
import io.sluice.api.schema.TableDef;
import io.sluice.api.wire.SumBody;
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
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
    private final Map<String, Double> seconds = new LinkedHashMap<>();
    private final long startNanos = System.nanoTime();

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
        Outcome outcome = attempt(inputBytes, Decision.NONE, null);
        while (outcome.report() == null) {
            progress.restart();
            outcome = attempt(inputBytes, outcome.decision(), outcome.restarted());
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

    private Outcome attempt(long inputBytes, Decision decision, @Nullable ImportSession restarted)
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
            return runOrPause(context, session, decision);
        } catch (IOException e) {
            throw DiskAdvice.failure(e);
        } catch (OperationFailedException e) {
            throw DiskAdvice.isDiskFull(e) ? DiskAdvice.failure(e) : e;
        }
    }

    /** Begins the import. What an earlier attempt did counts only if it is finished; otherwise it is done again. */
    private ImportSession begin() {
        if (settings.append()) {
            return node.beginImport(ImportRequest.append(table));
        }
        ImportRequest request = new ImportRequest(table, Delivery.timing(settings.mode()), importId, 0);
        ImportSession session = node.beginImport(request);
        if (session.resumed() && FinishedImport.of(session) == null) {
            session.close();
            return node.beginImport(request);
        }
        return session;
    }

    private Outcome runOrPause(ImportContext context, ImportSession session, Decision decision)
            throws IOException, InterruptedException {
        try {
            FinishedImport finished = session.resumed() ? FinishedImport.of(session) : null;
            if (finished != null) {
                finished.publish(session);
                progress.enter(ImportProgress.Phase.DONE);
                return Outcome.done(finished.report(), decision);
            }
            return run(context, session, decision);
        } catch (NodeUnreachableException e) {
            if (importId == null) {
                throw e;
            }
            context.shipper().stop();
            session.detach();
            throw new ImportPausedException(
                    "the import into table " + table.name() + " is paused, because " + e.getMessage()
                            + "\nNodes keep what they have. When node " + e.node()
                            + " is back, run the same command with --job-id " + importId,
                    e);
        }
    }

    private static long sumOrUnknown(long a, long b) {
        return a < 0 || b < 0 ? -1 : a + b;
    }

    private Outcome run(ImportContext context, ImportSession session, Decision decision)
            throws IOException, InterruptedException {
        if (settings.mode() == ImportSettings.Mode.TWO_PASS) {
            SamplePass pass = new SamplePass(context, inputs, Objects.requireNonNull(planner, "a split planner"));
            timed("sample", ImportProgress.Phase.SAMPLE, () -> {
                pass.run(session);
                return pass;
            });
        }
        Delivery delivery = Delivery.of(context);
        List<? extends IndexOutput> outputs = delivery.outputs();
        try (OpenBundle bundle =
                OpenBundle.of(settings, table.name(), settings.mode().label())) {
            RejectLog rejects = new RejectLog(settings.maxRejects(), bundle.sink());
            InputReader reader = new InputReader(context.reading(), inputs);
            List<IndexSum> encoded = timed("import", ImportProgress.Phase.IMPORT, () -> reader.read(rejects, outputs));
            List<IndexSum> written = timed("merge", ImportProgress.Phase.MERGE, delivery::finish);
            if (!settings.append() && context.conflicts().conflicts() > 0) {
                return again(context, decision, bundle, settings.mode() == ImportSettings.Mode.MERGE);
            }
            Verifier verifier = new Verifier(context.table());
            verifier.check("encoded", withoutRepeated(encoded, outputs), "handed over", written);

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
                new FinishedImport(report(context, rejects, outputs, imported, ingest, decision), SumBody.of(imported))
                        .note(session);
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

    /** Holds the store to what was written; returns what the table adds up to. */
    private List<IndexSum> verify(
            ImportContext context, Verifier verifier, ImportSession session, List<IndexSum> written)
            throws IOException, InterruptedException {
        List<IndexSum> expected = written;
        List<IndexSum> present = session.present();
        boolean readBack = settings.verification() == ImportSettings.Verification.FULL;
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
                settings.mode() == ImportSettings.Mode.TWO_PASS && planner != null ? planner.describe() : null,
                ingest.peakBufferBytes(),
                decision.dropped().count(),
                decision.replaced().size());
    }
}
