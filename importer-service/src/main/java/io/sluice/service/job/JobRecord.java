package io.sluice.service.job;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What of a job is durable with every change of its state. Times are milliseconds since 1970.
 *
 * @param id names it for users, and by a UUID made from it for nodes
 * @param number counts jobs in the order of their creation
 * @param version counts the changes of its state
 * @param state what it is doing
 * @param table name of the table
 * @param labels of the user's own
 * @param createdAt when it was created
 * @param startedAt when it was first begun, or null
 * @param updatedAt when its state changed last
 * @param finishedAt when it came to a final state, or null
 * @param attempt how many times it was begun or gone on with
 * @param mode the mode that it took once and for all, or null while it has none
 * @param modeWhy why it took that
 * @param message why it failed or is paused, or null
 * @param tally what it had done by then
 * @param report of a job that succeeded, or null
 * @param request which request created it, or null when that had no key
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
     * @param key its idempotency key
     * @param bodyHash of its body, by which another request with the same key is told apart
     */
    public record CreatedBy(String key, String bodyHash) {}

    /** A job that was just created. */
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
     * The job in its next state.
     *
     * @throws IllegalStateException when the state does not lead there
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

    /** The same with more done. */
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
     * What changes with a state.
     *
     * @param message why, or null
     * @param tally what is done by now, or null: as it was
     * @param report or null
     * @param mode or null: as it was
     * @param modeWhy or null
     */
    public record Change(
            @Nullable String message,
            @Nullable Tally tally,
            @Nullable JsonNode report,
            @Nullable String mode,
            @Nullable String modeWhy) {
        /** Nothing but the state. */
        public static final Change NOTHING = new Change(null, null, null, null, null);

        /** A reason for people. */
        public static Change because(String message) {
            return new Change(message, null, null, null, null);
        }

        /** The same with a reason for people. */
        public Change saying(String why) {
            return new Change(why, tally, report, mode, modeWhy);
        }

        /** The same with what is done by now. */
        public Change with(Tally done) {
            return new Change(message, done, report, mode, modeWhy);
        }
    }
}
