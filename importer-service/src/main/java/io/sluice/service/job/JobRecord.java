package io.sluice.service.job;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.model.error.FailureCode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The durable record of a job, written with every state change. Times are milliseconds since 1970.
 *
 * @param created the values that never change
 * @param version number of state changes
 * @param state current state
 * @param times times and number of attempts
 * @param mode the mode, which never changes once chosen; null until then
 * @param modeWhy reason for the mode
 * @param reason why the job is in its state
 * @param tally progress at the state change
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record JobRecord(
        @JsonUnwrapped Created created,
        int version,
        JobState state,
        @JsonUnwrapped Times times,
        @Nullable String mode,
        @Nullable String modeWhy,
        @JsonUnwrapped Reason reason,
        Tally tally) {
    /**
     * Why a job is in its state.
     *
     * @param message reason for users, or null
     * @param failure text of the {@link io.sluice.model.error.FailureCode} of a failed job, or null
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Reason(@Nullable String message, @Nullable String failure) {
        static final Reason NONE = new Reason(null, null);
    }

    /**
     * The values of a job that its creation sets.
     *
     * @param id id for users; nodes use a UUID derived from it
     * @param number sequence number of creation
     * @param table name of the table
     * @param labels labels of the user
     * @param createdAt time of creation
     * @param request the request that created the job, or null if it had no idempotency key
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Created(
            String id,
            long number,
            String table,
            Map<String, String> labels,
            long createdAt,
            @Nullable CreatedBy request) {
        public Created {
            labels = Map.copyOf(labels);
        }
    }

    /**
     * The request that created a job.
     *
     * @param key idempotency key
     * @param bodyHash hash of the body, which detects a different request with the same key
     */
    public record CreatedBy(String key, String bodyHash) {}

    /**
     * The times of a job's states.
     *
     * @param startedAt time of the first start, or null
     * @param updatedAt time of the last state change
     * @param finishedAt time of the final state, or null
     * @param attempt number of starts and resumptions
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Times(
            @Nullable Long startedAt,
            long updatedAt,
            @Nullable Long finishedAt,
            int attempt) {
        private Times in(JobState next, long now) {
            boolean begins = next == JobState.PRECHECKING;
            return new Times(
                    begins && startedAt == null ? Long.valueOf(now) : startedAt,
                    now,
                    next.isFinal() ? Long.valueOf(now) : null,
                    begins ? attempt + 1 : attempt);
        }
    }

    /** Creates the record of a new job. */
    static JobRecord of(Created created) {
        return new JobRecord(
                created,
                1,
                JobState.PENDING,
                new Times(null, created.createdAt, null, 0),
                null,
                null,
                Reason.NONE,
                Tally.NONE);
    }

    /**
     * Returns the record in its next state.
     *
     * @throws IllegalStateException if the transition is not allowed
     */
    JobRecord in(JobState next, Change change, long now) {
        if (!state.leadsTo(next)) {
            throw new IllegalStateException("job " + id() + " cannot go from " + state.label() + " to " + next.label());
        }
        return new JobRecord(
                created,
                version + 1,
                next,
                times.in(next, now),
                change.mode() == null ? mode : change.mode(),
                change.mode() == null ? modeWhy : change.modeWhy(),
                change.reason(),
                change.tally() == null ? tally : change.tally());
    }

    /** Returns the record of a new job that is cancelled before it runs, without the request that created it. */
    JobRecord withdrawn(String why) {
        Created kept = new Created(id(), number(), created.table, created.labels, created.createdAt, null);
        Times ended = new Times(null, times.updatedAt, times.updatedAt, 0);
        return new JobRecord(
                kept, version + 1, JobState.CANCELLED, ended, null, null, new Reason(why, null), Tally.NONE);
    }

    /** Returns a copy with another tally. */
    JobRecord with(Tally done) {
        return new JobRecord(created, version, state, times, mode, modeWhy, reason, done);
    }

    /** Returns a copy with another reason for users. */
    JobRecord saying(String why) {
        return new JobRecord(created, version, state, times, mode, modeWhy, new Reason(why, reason.failure), tally);
    }

    public @Nullable String message() {
        return reason.message;
    }

    public String id() {
        return created.id;
    }

    public long number() {
        return created.number;
    }

    public String table() {
        return created.table;
    }

    /**
     * The values that change with a state.
     *
     * @param reason why the job gets its state
     * @param tally progress, or null: unchanged
     * @param report report of a job that succeeded, or null; {@link Job#report} reads it from disk
     * @param mode mode, or null: unchanged
     * @param modeWhy reason for the mode, or null
     */
    public record Change(
            Reason reason,
            @Nullable Tally tally,
            @Nullable JsonNode report,
            @Nullable String mode,
            @Nullable String modeWhy) {
        /** Changes only the state. */
        public static final Change NOTHING = new Change(Reason.NONE, null, null, null, null);

        /** A change with a reason for users. */
        public static Change because(String message) {
            return new Change(new Reason(message, null), null, null, null, null);
        }

        public static Change failed(String message, FailureCode code) {
            return new Change(new Reason(message, code.text()), null, null, null, null);
        }

        /** Returns a copy with a reason for users. */
        Change saying(String why) {
            return new Change(new Reason(why, reason.failure), tally, report, mode, modeWhy);
        }
    }
}
