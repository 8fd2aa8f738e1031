package io.sluice.importer.job.attempt;

import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestReport;
import io.sluice.api.node.TableStatus;
import io.sluice.api.wire.ChecksumBody;
import io.sluice.importer.bundle.BundleSettings;
import io.sluice.importer.decode.RejectLog;
import io.sluice.importer.job.ImportEvents;
import io.sluice.importer.job.ImportProgress.Phase;
import io.sluice.importer.job.ImportReport;
import io.sluice.importer.job.ImportSettings;
import io.sluice.importer.job.ShippingProgress;
import io.sluice.importer.job.SplitPlanner;
import io.sluice.importer.job.output.Delivery;
import io.sluice.importer.job.output.ImportContext;
import io.sluice.importer.job.output.IndexOutput;
import io.sluice.importer.job.output.KeyBorders;
import io.sluice.importer.job.read.DiskAdvice;
import io.sluice.importer.job.read.MemoryPlan;
import io.sluice.importer.job.read.OpenBundle;
import io.sluice.importer.job.read.Reading;
import io.sluice.importer.job.report.Reporting;
import io.sluice.importer.job.resume.CheckpointWriter;
import io.sluice.importer.job.resume.FinishedImport;
import io.sluice.importer.job.resume.JobDescription;
import io.sluice.importer.job.resume.PastWork;
import io.sluice.importer.job.resume.Resumption;
import io.sluice.importer.job.verify.AppendStep;
import io.sluice.importer.job.verify.ConflictReport;
import io.sluice.importer.job.verify.ConflictResolver;
import io.sluice.importer.job.verify.ConflictResolver.Decision;
import io.sluice.importer.job.verify.StoreCheck;
import io.sluice.importer.job.verify.Verifier;
import io.sluice.importer.journal.Journal;
import io.sluice.importer.ship.Shipper;
import io.sluice.importer.sort.ConflictLog;
import io.sluice.importer.sort.MemoryBudget;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.InputFiles;
import io.sluice.importer.sst.SstCutter;
import io.sluice.importer.sst.SstFormat;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.SluiceException;
import io.sluice.model.kv.CorruptKvException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One attempt at an import: runs the steps that {@code ImportJob} lists, in one session with the nodes. */
public final class ImportAttempt {
    /** Conflicting keys found while runs are merged may take an eighth of the memory budget. */
    private static final int CONFLICT_SHARE = 8;

    private final ImportSetup setup;
    private final ImportSettings settings;
    private final @Nullable JobDescription description;
    private final Decision decision;
    /** Description of the sample that split the table's keys, in mode two-pass. */
    private @Nullable String sample;
    /** Phase of the attempt, which decides whether a failure now pauses the import or undoes it. */
    private Stopping.Moment moment = Stopping.Moment.ANY;

    /** Warnings for the report. */
    private final List<String> warnings = new ArrayList<>();
    /** Checkpoint records of earlier attempts, until {@link #run} has read them. */
    private Map<String, byte[]> notes = Map.of();

    private final KeyBorders borders = new KeyBorders();

    /**
     * Creates an attempt; {@link #run} starts it.
     *
     * @param description the inputs that a resumed attempt must match; null: the import cannot be resumed
     * @param decision the resolution of conflicts by an earlier attempt
     */
    public ImportAttempt(ImportSetup setup, @Nullable JobDescription description, Decision decision) {
        this.setup = setup;
        this.description = description;
        this.decision = decision;
        settings = setup.settings();
    }

    /**
     * The outcome of an attempt: the report, or what the next attempt must do differently.
     *
     * @param report the report of a finished import, or null
     * @param restarted the session of the next attempt; null: a new one
     * @param finishedBefore the import as an earlier run has finished it except for its publication; null: this one did
     */
    public record Outcome(
            @Nullable ImportReport report,
            Decision decision,
            @Nullable ImportSession restarted,
            @Nullable FinishedImport finishedBefore) {}

    /**
     * Runs the attempt.
     *
     * @param restarted the session to use; null: open a new one
     */
    public Outcome run(@Nullable ImportSession restarted) throws InterruptedException {
        MemoryPlan memory = MemoryPlan.of(
                settings.resources().memoryBytes(),
                settings.resources().workers(),
                setup.table().secondaries().size(),
                setup.textBytes());
        try (ImportSession session = restarted == null ? open() : restarted;
                SstFormat format = new SstFormat(settings.sstWriter(), place(session));
                Shipper shipper = new Shipper(
                        session,
                        new SstCutter(settings.resources().workDirectory(), session.table(), format),
                        settings.resources().workers(),
                        place(session) == SstFormat.Place.MEMORY ? memory.runBytes() : Shipper.MOST_BYTES,
                        new ShippingProgress(setup.progress(), borders::shipped),
                        setup.control().giveUpAfterMillis())) {
            try {
                return run(session, context(session, memory, format, shipper));
            } catch (IOException | RuntimeException | InterruptedException e) {
                // A KV that changed in memory or in a journal would fail a resumed import, too: this one is undone.
                boolean damaged = e.getCause() instanceof CorruptKvException;
                SluiceException error =
                        new Stopping(setup, session, shipper).after(e, damaged ? Stopping.Moment.ANY : moment);
                if (error != null) {
                    throw error;
                }
                throw e;
            }
        } catch (IOException e) {
            throw DiskAdvice.failure(e);
        } catch (OperationFailedException e) {
            throw DiskAdvice.isDiskFull(e) ? DiskAdvice.failure(e) : e;
        }
    }

    private ImportSession open() throws InterruptedException {
        Resumption.Opened opened = setup.prepare(() -> setup.resumption().open(setup.node()));
        notes = opened.notes();
        inputWarnings().forEach(setup.events()::tell);
        return opened.session();
    }

    /** Warnings about the inputs, which the report has whichever attempt ends the import. */
    private List<String> inputWarnings() {
        List<String> all = new ArrayList<>(setup.resumption().warnings());
        String empty = emptyInputs();
        if (empty != null) {
            all.add(empty);
        }
        return all;
    }

    /** Names inputs of no bytes, which an interrupted copy may have left; null if there are none. */
    private @Nullable String emptyInputs() {
        List<String> names = setup.inputs().stream()
                .filter(input -> input.sizeBytes() == 0)
                .map(InputFile::name)
                .toList();
        return names.isEmpty()
                ? null
                : "input of 0 bytes: " + InputFiles.named(names) + "; check that the copy is whole";
    }

    /** Mode direct keeps no runs, so their memory is free for SSTs, which need not touch the disk. */
    private SstFormat.Place place(ImportSession session) {
        if (session.takesFiles()) {
            return SstFormat.Place.SYNCED_FILES;
        }
        return settings.mode() == ImportSettings.Mode.DIRECT ? SstFormat.Place.MEMORY : SstFormat.Place.FILES;
    }

    private ImportContext context(ImportSession session, MemoryPlan memory, SstFormat format, Shipper shipper) {
        setup.progress().watch(session);
        ConflictLog conflicts = new ConflictLog(
                setup.table().indexes().size(),
                ConflictReport.SHOWN,
                settings.resources().memoryBytes() / CONFLICT_SHARE);
        return new ImportContext(
                new Reading(session.table(), session::encoders, settings, memory, setup.progress(), decision.dropped()),
                conflicts,
                new MemoryBudget(memory.runBytes()),
                format,
                shipper,
                session,
                borders);
    }

    private Outcome run(ImportSession session, ImportContext context) throws IOException, InterruptedException {
        FinishedImport finished = FinishedImport.of(setup.table().name(), notes);
        if (finished != null) {
            return publishFinished(session, finished);
        }
        if (setup.journal() != null && !JobDescription.isNoted(notes)) {
            // The journal of an import that nodes have forgotten; its inputs may have been others.
            Journal.delete(setup.journal());
        }
        PastWork past =
                Resumption.detachOnFailure(session, () -> setup.resumption().past(session, notes, description));
        notes = Map.of();
        sample = past.sample();
        if (settings.mode() == ImportSettings.Mode.TWO_PASS && sample == null) {
            sample(session, context);
        }
        SplitPlanner planner = setup.planner();
        boolean undivided = session.nodes() > 1 && session.directory().ranges().isEmpty();
        if (settings.mode() == ImportSettings.Mode.DIRECT && undivided && planner != null) {
            new SamplePass(context, setup.inputs(), planner).runOverPlaces(session);
        }
        try (Delivery delivery = new Delivery(context);
                OpenBundle bundle = Resumption.detachOnFailure(session, () -> bundle(past))) {
            return deliver(context, past, delivery, bundle);
        }
    }

    /** Publishes an import that an earlier run finished but did not publish. */
    private Outcome publishFinished(ImportSession session, FinishedImport finished) throws InterruptedException {
        // Some of several nodes may have published it.
        moment = Stopping.Moment.PUBLISHING;
        setup.control().finish();
        finished.publish(session);
        session.warnings().forEach(this::warn);
        Path bundle = bundle(finished);
        if (bundle != null) {
            warn(OpenBundle.complete(bundle, finished.report().rows().rejects().bundle()));
        }
        return done(finished.report(), finished);
    }

    /** The bundle of the run that finished the import. By default each run has a directory of its own. */
    private @Nullable Path bundle(FinishedImport finished) {
        String reported = finished.report().rows().rejects().bundle();
        BundleSettings wanted = settings.rejects().bundle();
        if (reported != null) {
            return Path.of(reported);
        }
        return wanted == null ? null : wanted.directory();
    }

    private void sample(ImportSession session, ImportContext context) throws IOException, InterruptedException {
        SamplePass pass = new SamplePass(context, setup.inputs(), Objects.requireNonNull(setup.planner()));
        String sampled = setup.step("sample", Phase.SAMPLE, () -> pass.run(session));
        sample = sampled;
        if (setup.resumption().keepsCheckpoints()) {
            session.putCheckpoint(PastWork.SAMPLED, sampled.getBytes(StandardCharsets.UTF_8));
        }
    }

    /** Steps 3 to 5: read, merge, ship. Afterwards all KVs are with the nodes. */
    private Outcome deliver(ImportContext context, PastWork past, Delivery delivery, OpenBundle bundle)
            throws IOException, InterruptedException {
        List<? extends IndexOutput> outputs = delivery.outputs();
        RejectLog rejects = new RejectLog(settings.rejects().limit(), bundle.sink());
        CheckpointWriter checkpoints =
                setup.resumption().keepsCheckpoints() ? checkpoints(context, rejects, bundle) : null;
        ReadStep read = new ReadStep(setup, context, past, rejects, outputs, checkpoints);
        moment = checkpoints == null ? Stopping.Moment.ANY : Stopping.Moment.READING;
        List<IndexChecksum> encoded = setup.step("import", Phase.IMPORT, read::run);
        List<IndexChecksum> handedOver = setup.step("merge", Phase.MERGE, delivery::finish);
        if (checkpoints != null) {
            checkpoints.recordDone();
            setup.events().reached(ImportEvents.READ);
        }
        moment = Stopping.Moment.ANY;
        if (!settings.append() && context.conflicts().conflicts() > 0) {
            return resolveAndRetry(context, bundle, settings.mode() == ImportSettings.Mode.MERGE);
        }
        Verifier.check(
                context.table(), "encoded", Verifier.withoutRepeated(encoded, outputs), "handed over", handedOver);
        List<IndexChecksum> written = past.and(handedOver);
        return settings.append()
                ? append(context, rejects, outputs, written, bundle)
                : finish(context, rejects, outputs, written, bundle);
    }

    /** Steps 6 to 8: finalize, verify, publish. */
    private Outcome finish(
            ImportContext context,
            RejectLog rejects,
            List<? extends IndexOutput> outputs,
            List<IndexChecksum> written,
            OpenBundle bundle)
            throws IOException, InterruptedException {
        ImportSession session = context.session();
        Reporting reporting = new Reporting(context, setup.clock(), bundle);
        IngestReport ingest = finalizeIngest(session);
        StoreCheck check = new StoreCheck(context, setup.inputs(), setup.verified());
        List<IndexChecksum> imported = setup.step("verify", Phase.VERIFY, () -> check.check(written));
        if (context.conflicts().conflicts() > 0) {
            return resolveAndRetry(context, bundle, true);
        }
        bundle.prepare();
        boolean resumable = setup.importId() != null;
        if (resumable) {
            setup.events().reached(ImportEvents.VERIFIED);
        }
        setup.control().finish();
        if (resumable) {
            ImportReport soFar = reporting.report(rejects, outputs, imported, imported, ingest, decision, sample);
            // From here on a later run may publish the import, even if the nodes' answer is lost.
            bundle.finished();
            new FinishedImport(
                            soFar.warning(inputWarnings()).warning(warnings),
                            ChecksumBody.of(imported),
                            setup.resumption().fingerprint())
                    .note(session);
            moment = Stopping.Moment.PUBLISHING;
            setup.events().reached(ImportEvents.FINISHED);
        }
        publish(session, imported, bundle);
        session.warnings().forEach(this::warn);
        warn(bundle.published());
        return done(reporting.report(rejects, outputs, imported, imported, ingest, decision, sample), null);
    }

    /** Steps 6 to 8 for a table that has rows already. */
    private Outcome append(
            ImportContext context,
            RejectLog rejects,
            List<? extends IndexOutput> outputs,
            List<IndexChecksum> written,
            OpenBundle bundle)
            throws IOException, InterruptedException {
        Reporting reporting = new Reporting(context, setup.clock(), bundle);
        AppendStep step = new AppendStep(context, setup.inputs());
        IngestReport ingest = finalizeIngest(context.session());
        AppendStep.Overlap overlap = setup.step("verify", Phase.VERIFY, () -> step.checkOverlap(decision, written));
        if (overlap.retry() != null) {
            return restart(context.session(), bundle, overlap.retry());
        }
        bundle.prepare();
        setup.control().finish();
        publish(context.session(), overlap.after(), bundle);
        context.session().warnings().forEach(this::warn);
        new StoreCheck(context, setup.inputs(), setup.verified()).reportAgreement(overlap.after());
        warn(bundle.published());
        return done(
                reporting.report(
                        rejects, outputs, overlap.after(), overlap.added(), ingest, overlap.decision(), sample),
                null);
    }

    private IngestReport finalizeIngest(ImportSession session) throws IOException, InterruptedException {
        IngestReport ingest = setup.step("ingest", Phase.INGEST, session::finalizeIngest);
        setup.clock().splitIngest(ingest.compactSeconds());
        setup.progress().ingested(ingest);
        return ingest;
    }

    /**
     * Publishes the table. A failure may come after the write that makes the rows visible. A resumable import is then
     * detached, and the process that resumes it publishes it. For any other import this method asks the node whether
     * the table is published. If that remains unknown, the bundle stays: a table may lack the rejected rows.
     */
    private void publish(ImportSession session, List<IndexChecksum> sums, OpenBundle bundle)
            throws IOException, InterruptedException {
        try {
            setup.step("publish", Phase.PUBLISH, () -> {
                session.publish(sums);
                return sums;
            });
        } catch (OperationFailedException e) {
            if (moment == Stopping.Moment.PUBLISHING) {
                throw e;
            }
            Stopping.close(session, e);
            if (!isPublished(sums, e, bundle)) {
                throw e;
            }
            warn("the rows are published, and what comes after that failed: " + e.getMessage());
        }
    }

    /** Whether the node has the published table with these checksums. */
    private boolean isPublished(List<IndexChecksum> sums, OperationFailedException failure, OpenBundle bundle) {
        String name = setup.table().name();
        try {
            TableStatus status = setup.node().table(name);
            // Statements may have changed the table since.
            return status != null
                    && (status.published().equals(sums) || status.imported().equals(sums));
        } catch (OperationFailedException e) {
            e.addSuppressed(failure);
            bundle.finished();
            throw new OperationFailedException(
                    failure.getMessage() + "\nIt is not known whether table " + name + " was published before that: "
                            + e.getMessage() + ". Check it with sluice tables before you import again",
                    e);
        }
    }

    /** Reports a warning and adds it to the report; null: no warning. */
    private void warn(@Nullable String warning) {
        if (warning != null) {
            setup.events().tell(warning);
            warnings.add(warning);
        }
    }

    private Outcome done(ImportReport report, @Nullable FinishedImport before) {
        if (report.rows().read() == 0) {
            warn("the input has no records: no row was imported");
        }
        setup.progress().enter(Phase.DONE);
        setup.events().entered(Phase.DONE);
        return new Outcome(report.warning(inputWarnings()).warning(warnings), decision, null, before);
    }

    /** Undoes this attempt's work, for another attempt. */
    private static Outcome restart(ImportSession session, OpenBundle bundle, Decision decision) {
        bundle.discard();
        return new Outcome(null, decision, session.restart(), null);
    }

    /** Resolves the conflicts for another attempt. */
    private Outcome resolveAndRetry(ImportContext context, OpenBundle bundle, boolean complete)
            throws IOException, InterruptedException {
        ConflictResolver.ensureFirst(decision);
        Decision next = new ConflictResolver(context, setup.inputs()).decide(complete, null);
        return restart(context.session(), bundle, next);
    }

    private OpenBundle bundle(PastWork past) {
        return OpenBundle.of(
                settings,
                setup.table(),
                settings.mode().label(),
                setup.resumption().bundleJob(past));
    }

    private CheckpointWriter checkpoints(ImportContext context, RejectLog rejects, OpenBundle bundle) {
        long unitBytes = CheckpointWriter.unitBytes(settings.resources().workers(), setup.textBytes());
        return new CheckpointWriter(context.session(), context.conflicts(), rejects, bundle, setup.events(), unitBytes);
    }
}
