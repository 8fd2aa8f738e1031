package io.sluice.service.job;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.api.error.OperationFailedException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One job. Its state changes by {@link #become}: the new state is durable before any client sees it. Two changes do not
 * wait for the disk: the end of an import whose table is published ({@link #conclude}), and the return of a job that no
 * thread works on to where a restart would put it ({@link #standStill}). What the job has done grows by {@link #done}.
 * Used by many threads.
 */
public final class Job {
    /** Where the tally is kept while a job runs; {@code job.json} has that of its last change of state. */
    private static final String TALLY_FILE = "tally.json";

    /** Told of changes, on the thread that makes them, while the job is locked: must not wait. */
    interface Observer {
        /** The state changed. */
        void changed(Job job, JobState before);

        /** The tally, or what it takes to show the job, changed. */
        void touched(Job job);
    }

    private final JobFiles files;
    private final Observer observer;
    private final Clock clock;
    private volatile JobRecord record;
    /** What {@code job.json} is to say when it can be written again; guarded by this. */
    private @Nullable JobRecord unsaved;

    private volatile Live live = Live.NOTHING;
    private volatile long lastChange;

    /**
     * What is known of a job only while it runs.
     *
     * @param phase of the import, as the API has it; or null
     * @param etaSeconds until it is done, or NaN
     * @param bytesPerSecond over the last seconds
     * @param rowsPerSecond over the last seconds
     * @param limiter what holds it back, or empty
     */
    public record Live(
            @Nullable String phase, double etaSeconds, double bytesPerSecond, double rowsPerSecond, String limiter) {
        /** Of a job that does not run. */
        public static final Live NOTHING = new Live(null, Double.NaN, 0, 0, "");
    }

    Job(JobRecord record, JobFiles files, Observer observer, Clock clock) {
        this.record = record;
        this.files = files;
        this.observer = observer;
        this.clock = clock;
    }

    /** A job that an earlier process left; what it had done is what it said last. */
    static Job found(JobRecord record, JobFiles files, Observer observer, Clock clock) {
        Tally said = record.state().isFinal() ? null : Tally.ofJson(files.read(record.id(), TALLY_FILE));
        return new Job(
                said != null && said.fraction() >= record.tally().fraction() ? record.with(said) : record,
                files,
                observer,
                clock);
    }

    public String id() {
        return record.id();
    }

    /** What nodes know it by: the id if it is a UUID, or else one made from it, as {@code import --job-id} does. */
    public UUID importId() {
        return importId(id());
    }

    /** What nodes know a job of that id by. */
    public static UUID importId(String id) {
        return id.matches("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
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

    /** Grows whenever something about the job changes; numbers of all jobs of a registry are one sequence. */
    public long lastChange() {
        return lastChange;
    }

    void changedAs(long number) {
        lastChange = number;
    }

    /** What was asked for. */
    public JsonNode spec() {
        return files.spec(id());
    }

    /** The job's other files. */
    public JobFiles files() {
        return files;
    }

    /**
     * Goes to the next state, if the one before is what the caller believes.
     *
     * @return false when the job was in another state than expected, and nothing was changed
     * @throws IllegalStateException when no job goes from the one to the other
     */
    public boolean become(JobState expected, JobState next, JobRecord.Change change) {
        synchronized (this) {
            JobRecord before = record;
            if (before.state() != expected) {
                return false;
            }
            JobRecord after = before.in(next, change, clock.millis());
            files.save(after);
            changed(expected, after);
            return true;
        }
    }

    private void changed(JobState before, JobRecord after) {
        record = after;
        if (!after.state().isActive()) {
            live = Live.NOTHING;
        }
        observer.changed(this, before);
    }

    /**
     * Goes to the final state of an import whose table is published. If the state cannot be written, the job has it all
     * the same, and a message that says so. {@link #save} writes it later; a process that starts before that asks the
     * nodes.
     *
     * @return false when the job was in another state than expected, and nothing was changed
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
                files.save(after);
            } catch (OperationFailedException e) {
                unsaved = after;
                String message = change.message() == null ? "" : change.message() + "; ";
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
     * Puts a job that no thread works on back to where it waits: a begun one is pending again, one that was to pause is
     * paused. It happens in memory alone, so that a full disk does not stop it: from what {@code job.json} says, a
     * service that starts comes to the same state.
     *
     * @param why it is pending, or null
     * @return the state it is in then
     */
    public JobState standStill(@Nullable String why) {
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
                    observer.touched(this);
                }
                default -> {
                    // It is paused, over, or being undone.
                }
            }
            return record.state();
        }
    }

    /** Whether what {@link #conclude} has said is still to be written. */
    public synchronized boolean isUnsaved() {
        return unsaved != null;
    }

    /**
     * Writes what {@link #conclude} could not.
     *
     * @throws OperationFailedException when it still cannot be written
     */
    public synchronized void save() {
        JobRecord after = unsaved;
        if (after != null) {
            files.save(after);
            unsaved = null;
            record = after;
            observer.touched(this);
        }
    }

    /** Notes what is done by now. It is kept first, so that no restart shows less. */
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
            observer.touched(this);
        }
    }
}
