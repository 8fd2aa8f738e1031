package io.sluice.service.job;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The durable record of a job, written with every state change. Times are milliseconds since 1970.
 *
 * @param id id for users; nodes use a UUID derived from it
 * @param number sequence number of creation
 * @param version number of state changes
 * @param state current state
 * @param table name of the table
 * @param labels labels of the user
 * @param createdAt time of creation
 * @param startedAt time of the first start, or null
 * @param updatedAt time of the last state change
 * @param finishedAt time of the final state, or null
 * @param attempt number of starts and resumptions
 * @param mode the mode, which never changes once chosen; null until then
 * @param modeWhy reason for the mode
 * @param message why the job failed or is paused, or null
 * @param tally progress at the state change
 * @param report report of a job that succeeded, or null
 * @param request the request that created the job, or null if it had no idempotency key
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record JobRecord(
        String id,
        long number,
        int version,
        JobState state,
        String table,
        Map<String, String> labels,
        long createdAt,
        @Nullable Long startedAt,
        long updatedAt,
        @Nullable Long finishedAt,
        int attempt,
        @Nullable String mode,
        @Nullable String modeWhy,
        @Nullable String message,
        Tally tally,
        @Nullable JsonNode report,
        @Nullable CreatedBy request) {
    public JobRecord {
        labels = Map.copyOf(labels);
    }

    /**
     * The request that created a job.
     *
     * @param key idempotency key
     * @param bodyHash hash of the body, which detects a different request with the same key
     */
    public record CreatedBy(String key, String bodyHash) {}

    /** Creates the record of a new job. */
    public static JobRecord created(
            String id, long number, String table, Map<String, String> labels, long now, @Nullable CreatedBy request) {
        return new JobRecord(
                id,
                number,
                1,
                JobState.PENDING,
                table,
                labels,
                now,
                null,
                now,
                null,
                0,
                null,
                null,
                null,
                Tally.NONE,
                null,
                request);
    }

    /**
     * Returns the record in its next state.
     *
     * @throws IllegalStateException if the transition is not allowed
     */
    JobRecord in(JobState next, Change change, long now) {
        if (!state.leadsTo(next)) {
            throw new IllegalStateException("job " + id + " cannot go from " + state.label() + " to " + next.label());
        }
        boolean begins = next == JobState.PRECHECKING;
        return new JobRecord(
                id,
                number,
                version + 1,
                next,
                table,
                labels,
                createdAt,
                begins && startedAt == null ? Long.valueOf(now) : startedAt,
                now,
                next.isFinal() ? Long.valueOf(now) : null,
                begins ? attempt + 1 : attempt,
                change.mode() == null ? mode : change.mode(),
                change.mode() == null ? modeWhy : change.modeWhy(),
                change.message(),
                change.tally() == null ? tally : change.tally(),
                change.report(),
                request);
    }

    /** Returns a copy with another tally. */
    JobRecord with(Tally done) {
        return with(done, message);
    }

    /** The same with another reason for people. */
    JobRecord saying(String why) {
        return with(tally, why);
    }

    private JobRecord with(Tally done, @Nullable String why) {
        return new JobRecord(
                id,
                number,
                version,
                state,
                table,
                labels,
                createdAt,
                startedAt,
                updatedAt,
                finishedAt,
                attempt,
                mode,
                modeWhy,
                why,
                done,
                report,
                request);
    }

    /**
     * The values that change with a state.
     *
     * @param message reason for users, or null
     * @param tally progress, or null: unchanged
     * @param report report, or null
     * @param mode mode, or null: unchanged
     * @param modeWhy reason for the mode, or null
     */
    public record Change(
            @Nullable String message,
            @Nullable Tally tally,
            @Nullable JsonNode report,
            @Nullable String mode,
            @Nullable String modeWhy) {
        /** Changes only the state. */
        public static final Change NOTHING = new Change(null, null, null, null, null);

        /** A change with a reason for users. */
        public static Change because(String message) {
            return new Change(message, null, null, null, null);
        }

        /** Returns a copy with a reason for users. */
        public Change saying(String why) {
            return new Change(why, tally, report, mode, modeWhy);
        }

        /** Returns a copy with a tally. */
        public Change with(Tally done) {
            return new Change(message, done, report, mode, modeWhy);
        }
    }
}
