package io.sluice.service.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.importer.job.ImportControl;
import io.sluice.importer.job.ImportEvents;
import io.sluice.importer.job.ImportJob;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.ImportReport;
import io.sluice.importer.job.staged.StagedIngest;
import io.sluice.model.error.FailureCode;
import io.sluice.model.error.ImportPausedException;
import io.sluice.model.error.NodeUnreachableException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.Reasons;
import io.sluice.model.error.SluiceException;
import io.sluice.model.file.DurableFiles;
import io.sluice.sampler.ModeChoice;
import io.sluice.service.job.Job;
import io.sluice.service.job.JobRecord.Change;
import io.sluice.service.job.JobState;
import io.sluice.service.job.Tally;
import io.sluice.service.spec.ImportSpec;
import io.sluice.service.spec.InvalidSpecException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt at a job, on one thread: checks the inputs, chooses a mode if the job has none, imports, and reports the
 * outcome. Other threads may stop it at any time and read its progress.
 */
final class Attempt {
    private static final Logger LOG = LoggerFactory.getLogger(Attempt.class);
    private static final JsonMapper JSON = new JsonMapper();
    private static final String NOT_BEGUN = "stopped, as asked, before it began";

    private final Job job;
    private final Preparation preparation;
    private final JobWatch watch;
    private final UnaryOperator<String> withJobIds;
    private final ImportControl control = new ImportControl();
    private volatile boolean left;
    /** Whether the checks are over, so that the import itself pauses for a failure that may pass. */
    private boolean importing;

    /**
     * Creates an attempt without starting it.
     *
     * @param withJobIds rewrites the importer's messages for clients of the service
     */
    Attempt(Job job, Preparation preparation, JobWatch watch, UnaryOperator<String> withJobIds) {
        this.job = job;
        this.withJobIds = withJobIds;
        this.preparation = preparation;
        this.watch = watch;
    }

    Job job() {
        return job;
    }

    /** The progress of the attempt. */
    JobWatch watch() {
        return watch;
    }

    /**
     * Stops the attempt soon; nodes keep what they have. The job's state decides whether the service then undoes it.
     */
    void stop() {
        control.pause();
    }

    /** Stops the attempt as {@link #stop} does, because the service ends; the job keeps its state. */
    void leave() {
        left = true;
        control.pause();
    }

    /**
     * Runs the attempt to its end.
     *
     * @return changes the job to its next state. The caller runs it after all resources of the attempt are released,
     *     because the next attempt may start from then on
     */
    Runnable run() {
        if (!job.become(JobState.PENDING, JobState.PRECHECKING, Change.NOTHING)) {
            return () -> {};
        }
        Path work = preparation.workDirectory(job);
        try {
            ImportSpec spec = ImportSpec.of(job.spec());
            preparation.take(spec.source().setId());
            try {
                return next(spec, work);
            } finally {
                preparation.giveBack(spec.source().setId());
            }
        } catch (ImportPausedException e) {
            return () -> paused(e);
        } catch (InterruptedException e) {
            // Only the control interrupts: here a step before the import, which throws the above.
            return () -> stopped(NOT_BEGUN);
        } catch (SluiceException e) {
            return delays(e)
                    ? () -> paused(withJobIds.apply(delay(e)))
                    : () -> failed(String.valueOf(e.getMessage()), preparation.codeOf(e, job));
        } catch (InvalidSpecException e) {
            return () -> failed(String.valueOf(e.getMessage()), FailureCode.INVALID);
        } catch (RuntimeException | Error e) {
            LOG.error("job {} failed unexpectedly", job.id(), e);
            return () -> failed(
                    "an unexpected error, which is a defect of Sluice: " + Reasons.withoutClasses(e.toString())
                            + "; the service's log has more",
                    FailureCode.DEFECT);
        } finally {
            clear(work);
        }
    }

    /** Starts the job in a mode; returns false if it is to stop. */
    private boolean chosen(ModeChoice mode) {
        Change change =
                new Change(Change.NOTHING.reason(), null, null, mode.mode().label(), mode.why());
        importing = job.become(JobState.PRECHECKING, JobState.RUNNING, change);
        return importing;
    }

    /**
     * Whether a failure of the checks pauses the job: nodes may hold work of earlier attempts, or may even have
     * published some of it. A new job does not wait for anything but nodes.
     */
    private boolean delays(SluiceException e) {
        boolean resumed = Preparation.begunIn(job) != null;
        return !importing
                && (e instanceof NodeUnreachableException || (e instanceof OperationFailedException && resumed));
    }

    private String delay(SluiceException e) {
        return "the import into table " + job.record().table() + " is paused, because " + e.getMessage()
                + "\nNodes keep what they have; resume the job when that is fixed";
    }

    /** Does what is left of the job: publishes its import, ingests its set, or imports. */
    private Runnable next(ImportSpec spec, Path work) throws InterruptedException {
        ImportReport published = control.<@Nullable ImportReport>interruptible(() -> preparation.published(job));
        if (published != null) {
            return () -> succeeded(published, job.record().tally());
        }
        if (spec.source().setId() != null) {
            return ingestNow(spec, work);
        }
        Preparation.Import prepared = control.interruptible(() -> preparation.of(job, work));
        return chosen(prepared.mode()) ? importNow(prepared) : () -> stopped(NOT_BEGUN);
    }

    private Runnable ingestNow(ImportSpec spec, Path work) throws InterruptedException {
        ImportProgress progress = new ImportProgress();
        Preparation.Ingest ingest = control.interruptible(() -> preparation.ingest(spec, work, control, progress));
        if (!chosen(ingest.mode())) {
            return () -> stopped(NOT_BEGUN);
        }
        watch.begin(progress, List.of(), ingest.mode().mode());
        StagedIngest.Result result;
        try {
            result = ingest.run();
        } finally {
            keep(watch::end);
        }
        ObjectNode report = JSON.valueToTree(result.report());
        report.putObject("ingest").put("state", result.state()).put("rewritten", result.rewritten());
        return () -> succeeded(JobState.SUCCEEDED, report, watch.finished(result.report()));
    }

    private Runnable importNow(Preparation.Import prepared) throws InterruptedException {
        ImportProgress progress = new ImportProgress();
        ImportJob running = prepared.job(progress).controlledBy(control).observedBy(new ImportEvents() {
            @Override
            public void reached(String point) {
                if (point.equals(ImportEvents.NOTED)) {
                    watch.checkpoint();
                }
            }

            @Override
            public void tell(String sentence) {
                LOG.info("job {}: {}", job.id(), sentence);
            }
        });
        if (!running.keepsCheckpoints()) {
            preparation.discardBundle(job);
        }
        watch.begin(progress, prepared.inputs(), prepared.mode().mode());
        ImportReport report;
        try {
            report = prepared.reported(running.run());
        } finally {
            keep(() -> {
                watch.end();
                VerificationFile.write(job, running);
            });
        }
        return () -> succeeded(report, watch.finished(report));
    }

    private void succeeded(ImportReport report, Tally tally) {
        succeeded(
                report.withoutRejects() ? JobState.SUCCEEDED : JobState.SUCCEEDED_WITH_REJECTS,
                JSON.valueToTree(report),
                tally);
    }

    /** Finishes a job whose table is published; a pause or cancel that arrived meanwhile is too late. */
    private void succeeded(JobState end, JsonNode report, Tally tally) {
        Change done = new Change(Change.NOTHING.reason(), tally, report, null, null);
        while (!job.state().isFinal() && !job.conclude(job.state(), end, done)) {
            Thread.onSpinWait();
        }
    }

    /** Stores curves, positions and verification; a failure, such as a full disk, does not fail the import. */
    private void keep(Runnable writing) {
        try {
            writing.run();
        } catch (RuntimeException e) {
            LOG.warn("curves, positions and verification of job {} cannot be kept: {}", job.id(), e.toString());
        }
    }

    private void paused(ImportPausedException e) {
        if (left) {
            return;
        }
        if (e.requested()) {
            stopped(String.valueOf(e.getMessage()));
        } else {
            paused(e.reason()
                    + (e.undone()
                            ? "\nNodes keep nothing of an append; resume the job then, and it starts over."
                            : "\nNodes keep what they have; resume the job then."));
        }
    }

    /** Pauses the job because of a failure, unless the service ends or a client stops the job. */
    private void paused(String why) {
        JobState state = importing ? JobState.RUNNING : JobState.PRECHECKING;
        if (!left && !job.become(state, JobState.PAUSED, Change.because(why))) {
            stopped(why);
        }
    }

    /** Finishes an attempt that was stopped; the scheduler undoes a cancelled job. */
    private void stopped(String why) {
        if (!left) {
            job.become(
                    JobState.PAUSING,
                    JobState.PAUSED,
                    Change.because(why.lines().findFirst().orElse(why)));
        }
    }

    private void failed(String message, FailureCode code) {
        if (left) {
            // The next service runs the job again, perhaps already.
            return;
        }
        String why = withJobIds.apply(message);
        try {
            while (!job.state().isFinal() && job.state() != JobState.CANCELLING) {
                JobState state = job.state();
                if (state == JobState.PENDING
                        || state == JobState.PAUSED
                        || job.become(state, JobState.FAILED, Change.failed(why, code))) {
                    return;
                }
            }
        } catch (OperationFailedException e) {
            throw new OperationFailedException(why + "; that cannot be written: " + e.getMessage(), e);
        }
    }

    private static void clear(Path work) {
        try {
            DurableFiles.deleteTree(work);
        } catch (IOException e) {
            LOG.warn("temporary files are left in {}: {}", work, e.toString());
        }
    }
}
