package io.sluice.service.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.api.node.NodeStatus;
import io.sluice.importer.job.ImportJob;
import io.sluice.importer.job.ImportReport;
import io.sluice.importer.job.ImportSettings.Mode;
import io.sluice.importer.journal.Journal;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.ImportPausedException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.SluiceException;
import io.sluice.sampler.ImportPlan;
import io.sluice.service.job.Job;
import io.sluice.service.job.JobRecord.Change;
import io.sluice.service.job.JobRecord.Reason;
import io.sluice.service.job.JobRegistry;
import io.sluice.service.job.JobState;
import io.sluice.service.spec.ImportSpec;
import io.sluice.service.spec.SourceRoots;
import java.nio.file.Path;
import java.time.Clock;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs the jobs of a registry until it is closed; interrupted jobs resume in the next process. */
public final class JobRuns implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(JobRuns.class);
    private static final JsonMapper JSON = new JsonMapper();
    private static final long POLL_MILLIS = 250;

    /** Failed jobs that are undone at once: each may wait some minutes for a node. */
    private static final int UNDOS = 4;

    /** Failed jobs that wait for that; what others left ends with its lease. */
    private static final int WAITING_UNDOS = 100;

    /** Time for which a slot waits for the undo of its failed job: some requests to nodes that answer. */
    private static final long UNDO_SECONDS = 10;

    /** Idle time before a collection; longer than the gap between two jobs of a client that waits for each. */
    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(3);

    private final JobRegistry registry;
    private final Target target;
    private final Clock clock;
    private final NamedSources named;
    private final Preparation preparation;
    private final Scheduler scheduler;
    private final NodeMonitor monitor;
    private final ScheduledExecutorService poller;
    /** Executor of the undo of failed jobs. */
    private final ExecutorService undoing = Threads.bounded("sluice-undo", UNDOS, WAITING_UNDOS);

    /** Whether jobs ran since the last collection; this and the next field are used by the poller only. */
    private boolean memoryInUse;

    private long lastBusyNanos;

    /** Starts to run all unfinished jobs. */
    public JobRuns(JobRegistry registry, Target target, SourceRoots roots, RunSettings settings, Clock clock) {
        this.registry = registry;
        this.target = target;
        this.clock = clock;
        named = new NamedSources(roots, registry);
        preparation = new Preparation(target, roots, named, settings);
        monitor = new NodeMonitor(target.node());
        scheduler = new Scheduler(registry, this::attempt, this::failed, this::revert, Scheduler.AGAIN_MILLIS);
        poller = Threads.scheduled("sluice-job-watch");
        scheduler.start(settings.slots());
        var unused = poller.scheduleWithFixedDelay(this::poll, POLL_MILLIS, POLL_MILLIS, TimeUnit.MILLISECONDS);
    }

    private Attempt attempt(Job job) {
        return new Attempt(job, preparation, new JobWatch(job, clock), this::withJobIds);
    }

    /** Replaces the ids of imports on nodes by job ids in a message. */
    private String withJobIds(String message) {
        String result = message;
        for (Job job : registry.unfinished()) {
            result = result.replace("import " + job.importId(), "job " + job.id());
        }
        return result;
    }

    /**
     * Adds to a request for a bundle or a staged set what that says of its table.
     *
     * @throws BadInputException if there is none that the service may read
     */
    public JsonNode completed(JsonNode body) {
        return named.completed(body);
    }

    /**
     * Plans an import without creating a job.
     *
     * @throws BadInputException if an input is invalid
     */
    public ImportPlan plan(ImportSpec spec) {
        return preparation.plan(spec);
    }

    /**
     * Reads the first records of an import's inputs without creating a job.
     *
     * @param body a request for an import, with or without its schema
     * @throws BadInputException if an input cannot be read
     */
    public InputPreview preview(JsonNode body) {
        return InputPreview.of(body, preparation.roots());
    }

    private void poll() {
        boolean any = false;
        for (Attempt attempt : scheduler.running()) {
            any = true;
            attempt.watch().poll(monitor.status(), LOG::warn);
        }
        monitor.busy(any);
        releaseMemoryWhenIdle(any);
    }

    /**
     * Returns memory to the operating system by one garbage collection after each busy period. Without allocations the
     * collector never runs, and the heap stays at its size.
     */
    private void releaseMemoryWhenIdle(boolean busy) {
        long now = System.nanoTime();
        if (busy) {
            memoryInUse = true;
            lastBusyNanos = now;
        } else if (memoryInUse && now - lastBusyNanos > QUIET_NANOS) {
            memoryInUse = false;
            System.gc();
        }
    }

    /** The last status of the nodes, or null. */
    public @Nullable NodeStatus nodes() {
        return monitor.status();
    }

    /** Number of pending jobs before this one in the queue. */
    public int before(Job job) {
        return scheduler.before(job);
    }

    /** The history of a job's progress, as JSON of the API. */
    public ObjectNode samples(Job job) {
        Attempt attempt = scheduler.running(job.id());
        return attempt != null
                ? attempt.watch().samples()
                : SampleLog.of(job.files().read(job.id(), JobWatch.SAMPLES)).toJson();
    }

    /** The read position of each input of a job, as JSON of the API; null before the first attempt. */
    public @Nullable JsonNode positions(Job job) {
        Attempt attempt = scheduler.running(job.id());
        return attempt != null ? attempt.watch().positions() : job.files().read(job.id(), JobWatch.FILES);
    }

    /** The last verification of a job, as JSON of the API; null if there was none. */
    public @Nullable JsonNode verification(Job job) {
        return job.files().read(job.id(), VerificationFile.NAME);
    }

    /** The directory of the bundle with a job's rejects; it may not exist. */
    public static Path bundle(Job job) {
        return Preparation.bundle(job);
    }

    /**
     * Undoes a failed job on the nodes. The next job of the slot waits for this, as it may import into the same table,
     * but not until a silent node is given up.
     */
    private void failed(Job job) {
        try {
            var unused = undoing.submit(() -> undoFailed(job)).get(UNDO_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            LOG.info("job {} has failed, and is being undone while the next job runs", job.id());
        } catch (RejectedExecutionException e) {
            LOG.info(
                    "job {} has failed; what is left of it ends with its lease: others wait, or the service ends",
                    job.id());
        } catch (ExecutionException e) {
            LOG.error("job {} has failed, and cannot be undone; what is left ends with its lease", job.id(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Undoes what an earlier attempt at a failed job left on the nodes. A failing import undoes itself, but not an
     * earlier attempt that it did not resume.
     */
    private void undoFailed(Job job) {
        Mode mode = Preparation.begunIn(job);
        try {
            Journal.delete(Preparation.journal(job));
            if (mode == null || job.record().times().attempt() < 2) {
                return;
            }
            ImportSpec spec = ImportSpec.of(job.spec());
            UUID set = spec.source().setId();
            if (!spec.append() && preparation.tryTake(set)) {
                try {
                    ImportJob.abandon(target.node(), spec.target().table(), mode, Preparation.importId(job, spec));
                } finally {
                    preparation.giveBack(set);
                }
            }
        } catch (SluiceException e) {
            LOG.info("job {} has failed; what is left of it ends with its lease: {}", job.id(), e.getMessage());
        }
    }

    /** Undoes a job on the nodes; returns false if a node or the disk fails, to try again later. */
    private boolean revert(Job job) {
        try {
            job.become(JobState.CANCELLING, JobState.REVERTING, Change.NOTHING);
            if (job.state() != JobState.REVERTING) {
                return true;
            }
            ImportReport published = undo(job);
            if (published == null) {
                preparation.discardBundle(job);
                Journal.delete(Preparation.journal(job));
                job.become(JobState.REVERTING, JobState.CANCELLED, Change.NOTHING);
            } else {
                JobState end = published.withoutRejects() ? JobState.SUCCEEDED : JobState.SUCCEEDED_WITH_REJECTS;
                String why = "it was about to be published when it was cancelled";
                job.conclude(
                        JobState.REVERTING,
                        end,
                        new Change(
                                new Reason(why, null), job.record().tally(), JSON.valueToTree(published), null, null));
            }
            return true;
        } catch (OperationFailedException | ImportPausedException e) {
            LOG.warn("job {} cannot be undone yet: {}", job.id(), e.getMessage());
            return false;
        } catch (RuntimeException e) {
            LOG.error("job {} cannot be undone; nodes undo it when its lease ends", job.id(), e);
            job.become(
                    JobState.REVERTING,
                    JobState.CANCELLED,
                    Change.because("nodes may hold parts of it for a day: " + e.getMessage()));
            return true;
        }
    }

    /** Undoes a job on the nodes; returns its report if they had published it, or were about to. */
    private @Nullable ImportReport undo(Job job) {
        Mode mode = Preparation.begunIn(job);
        ImportSpec spec = ImportSpec.of(job.spec());
        if (mode == null || spec.append()) {
            // Never started; or rows for an existing table, which the end of their session has undone.
            return null;
        }
        UUID set = spec.source().setId();
        if (!preparation.tryTake(set)) {
            // The import on the nodes is that of the job which ingests the set now.
            return null;
        }
        try {
            return undo(job, spec, mode);
        } finally {
            preparation.giveBack(set);
        }
    }

    private @Nullable ImportReport undo(Job job, ImportSpec spec, Mode mode) {
        UUID importId = Preparation.importId(job, spec);
        try {
            if (ImportJob.abandon(target.node(), spec.target().table(), mode, importId)) {
                return null;
            }
        } catch (BadInputException e) {
            // Another import created the table: nodes have nothing of this job.
            LOG.info("job {} has left nothing to undo: {}", job.id(), e.getMessage());
            return null;
        }
        return preparation.publishFinished(job, spec, mode);
    }

    /** Stops all running jobs within seconds; jobs keep their state, and nodes keep what they have. */
    @Override
    public void close() {
        scheduler.close();
        undoing.shutdownNow();
        Threads.await(undoing, TimeUnit.SECONDS.toMillis(UNDO_SECONDS));
        poller.shutdownNow();
        monitor.close();
    }
}
