package io.sluice.service.job;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.model.error.OperationFailedException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One job. {@link #become} changes its state: the new state is durable before any client sees it. Two changes do not
 * wait for the disk: the end of an import whose table is published ({@link #conclude}), and the return of a job without
 * a thread to the state after a restart ({@link #requeue}). {@link #done} updates the progress. Thread-safe.
 */
public final class Job {
    /** File of the tally while a job runs; {@code job.json} has the tally of its last state change. */
    private static final String TALLY_FILE = "tally.json";

    private final JobRegistry registry;
    private final JobFiles files;
    private final Clock clock;
    private volatile JobRecord record;
    /** The state that could not be written to {@code job.json} yet. */
    private volatile @Nullable Unsaved unsaved;

    private record Unsaved(JobRecord record, @Nullable JsonNode report) {}

    private volatile Live live = Live.NOTHING;
    private volatile long lastChange;

    /**
     * The values of a job that exist only while it runs.
     *
     * @param phase phase of the import, as in the API; or null
     * @param etaSeconds estimated seconds until the job is done, or NaN
     * @param bytesPerSecond input bytes per second over the last seconds
     * @param rowsPerSecond rows per second over the last seconds
     * @param limiter one word for the resource that limits the job, or empty
     */
    public record Live(
            @Nullable String phase, double etaSeconds, double bytesPerSecond, double rowsPerSecond, String limiter) {
        /** The values of a job that does not run. */
        public static final Live NOTHING = new Live(null, Double.NaN, 0, 0, "");
    }

    Job(JobRecord record, JobRegistry registry, JobFiles files, Clock clock) {
        this.record = record;
        this.registry = registry;
        this.files = files;
        this.clock = clock;
    }

    /** Restores a job of an earlier process, with its last stored tally. */
    static Job found(JobRecord record, JobRegistry registry, JobFiles files, Clock clock) {
        Tally stored = record.state().isFinal() ? null : Tally.ofJson(files.read(record.id(), TALLY_FILE));
        if (stored != null && stored.fraction() >= record.tally().fraction()) {
            return new Job(record.with(stored), registry, files, clock);
        }
        return new Job(record, registry, files, clock);
    }

    public String id() {
        return record.id();
    }

    /**
     * The import's id on nodes: the job id if it is a UUID in lower case, otherwise a UUID derived from it. So ids that
     * differ in case have different imports.
     */
    public UUID importId() {
        return importId(id());
    }

    /** The import's id on nodes for a job id. */
    public static UUID importId(String id) {
        return id.matches("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
                ? UUID.fromString(id)
                : UUID.nameUUIDFromBytes(id.getBytes(StandardCharsets.UTF_8));
    }

    public JobRecord record() {
        return record;
    }

    public JobState state() {
        return record.state();
    }

    public Live live() {
        return live;
    }

    /** Sequence number of the job's last change; all jobs of a registry share one sequence. */
    public long lastChange() {
        return lastChange;
    }

    void changedAs(long number) {
        lastChange = number;
    }

    /** The request that created the job. */
    public JsonNode spec() {
        return files.spec(id());
    }

    /**
     * Reads the report of a job that succeeded from disk; null if there is none. Memory has no reports: the tree of one
     * takes 10 kB.
     */
    public @Nullable JsonNode report() {
        Unsaved waiting = unsaved;
        if (waiting != null) {
            return waiting.report();
        }
        return state() == JobState.SUCCEEDED || state() == JobState.SUCCEEDED_WITH_REJECTS ? files.report(id()) : null;
    }

    public JobFiles files() {
        return files;
    }

    /**
     * Changes the state by compare-and-set.
     *
     * @return false if the job was in another state, and nothing was changed
     * @throws IllegalStateException if the transition is not allowed
     */
    public boolean become(JobState expected, JobState next, JobRecord.Change change) {
        synchronized (this) {
            JobRecord before = record;
            if (before.state() != expected) {
                return false;
            }
            JobRecord after = before.in(next, change, clock.millis());
            files.save(after, change.report());
            changed(expected, after);
            return true;
        }
    }

    /** Changes the state of a record by compare-and-set: returns false if the state was changed since it was read. */
    boolean become(JobRecord seen, JobState next) {
        synchronized (this) {
            return record.version() == seen.version() && become(seen.state(), next, JobRecord.Change.NOTHING);
        }
    }

    private void changed(JobState before, JobRecord after) {
        record = after;
        if (!after.state().isActive()) {
            live = Live.NOTHING;
        }
        registry.changed(this, before);
    }

    /**
     * Changes to the final state of an import whose table is published. If the state cannot be written, the job has it
     * nevertheless, with a message that says so. {@link #save} writes it later; a process that starts before that asks
     * the nodes.
     *
     * @return false if the job was in another state, and nothing was changed
     */
    public boolean conclude(JobState expected, JobState next, JobRecord.Change change) {
        synchronized (this) {
            JobRecord before = record;
            if (before.state() != expected) {
                return false;
            }
            long now = clock.millis();
            JobRecord after = before.in(next, change, now);
            try {
                files.save(after, change.report());
            } catch (OperationFailedException e) {
                unsaved = new Unsaved(after, change.report());
                String message =
                        change.reason().message() == null ? "" : change.reason().message() + "; ";
                after = before.in(
                        next,
                        change.saying(
                                message + "the table is published, and that is not written yet: " + e.getMessage()),
                        now);
            }
            changed(expected, after);
            return true;
        }
    }

    /**
     * Puts a job without a thread back to a waiting state: a started job is pending again, a pausing job is paused. The
     * change is only in memory, so a full disk does not prevent it. A restarted service derives the same state from
     * {@code job.json}.
     *
     * @param why reason for the pending state, or null
     * @return the new state
     */
    public JobState requeue(@Nullable String why) {
        synchronized (this) {
            JobRecord before = record;
            JobRecord.Change change = why == null ? JobRecord.Change.NOTHING : JobRecord.Change.because(why);
            switch (before.state()) {
                case PRECHECKING, RUNNING ->
                    changed(before.state(), before.in(JobState.PENDING, change, clock.millis()));
                case PAUSING ->
                    changed(
                            JobState.PAUSING,
                            before.in(JobState.PAUSED, JobRecord.Change.because("paused, as asked"), clock.millis()));
                case PENDING -> {
                    record = why == null ? before : before.saying(why);
                    registry.touched(this);
                }
                default -> {
                    // The job is paused, finished, or being undone.
                }
            }
            return record.state();
        }
    }

    /** Whether the state of {@link #conclude} is not written yet. */
    public boolean isUnsaved() {
        return unsaved != null;
    }

    /**
     * Writes the state that {@link #conclude} could not write.
     *
     * @throws OperationFailedException if it still cannot be written
     */
    public synchronized void save() {
        Unsaved waiting = unsaved;
        if (waiting != null) {
            files.save(waiting.record(), waiting.report());
            unsaved = null;
            record = waiting.record();
            registry.touched(this);
        }
    }

    /** Updates the tally. Writes it to disk first, so that no restart shows less. */
    public void done(Tally tally, Live now) {
        synchronized (this) {
            if (!state().isActive()) {
                return;
            }
            if (!tally.equals(record.tally())) {
                files.put(id(), TALLY_FILE, tally.toJson());
                record = record.with(tally);
            }
            live = now;
            registry.touched(this);
        }
    }
}
