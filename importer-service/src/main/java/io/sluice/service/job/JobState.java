package io.sluice.service.job;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a job is doing. Time goes from left to right; a service that ends takes nothing back, and the next one puts what
 * was prechecking or running into the queue again.
 *
 * <pre>
 *                 .------------------- resume -------------------.
 *                 v                                              |
 *   create --> PENDING --> PRECHECKING --> RUNNING --> PAUSING --> PAUSED
 *                 |             |          |  |  |        |          |
 *                 |             |          |  |  '- a node is away --^
 *                 |             |          |  |           |          |
 *                 |             '----------|--+-----------+----------|--> SUCCEEDED, SUCCEEDED_WITH_REJECTS, FAILED
 *                 |                        |              |          |         (PRECHECKING: FAILED, or it was published)
 *                 '------ cancel ----------+--------------+----------'
 *                                          v
 *                                     CANCELLING --> REVERTING --> CANCELLED
 * </pre>
 *
 * <p>From PENDING a pause goes to PAUSED at once. Who is publishing when a pause or a cancel comes succeeds.
 */
public enum JobState {
    /** It waits for its turn. */
    @JsonProperty("pending")
    PENDING,
    /** All inputs are looked at before any work is done. */
    @JsonProperty("prechecking")
    PRECHECKING,
    /** It is being imported. */
    @JsonProperty("running")
    RUNNING,
    /** It is told to stop, and to keep what is done. */
    @JsonProperty("pausing")
    PAUSING,
    /** Nothing is done about it; nodes keep what they have. */
    @JsonProperty("paused")
    PAUSED,
    /** It is told to stop. */
    @JsonProperty("cancelling")
    CANCELLING,
    /** What was done is undone. */
    @JsonProperty("reverting")
    REVERTING,
    /** All rows are in the table. */
    @JsonProperty("succeeded")
    SUCCEEDED,
    /** All rows but rejects, or rows that gave way and were captured, are in the table. */
    @JsonProperty("succeeded_with_rejects")
    SUCCEEDED_WITH_REJECTS,
    /** It could not be done, and was undone. */
    @JsonProperty("failed")
    FAILED,
    /** It was undone as it was asked for. */
    @JsonProperty("cancelled")
    CANCELLED;

    /** What clients may ask of a job. */
    public enum Action {
        PAUSE,
        RESUME,
        CANCEL;

        /** The name in paths and answers. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private static final Set<JobState> FINAL = EnumSet.of(SUCCEEDED, SUCCEEDED_WITH_REJECTS, FAILED, CANCELLED);

    /** Whether nothing will happen any more. */
    public boolean isFinal() {
        return FINAL.contains(this);
    }

    /** Whether a thread works on it. */
    public boolean isActive() {
        return !isFinal() && this != PENDING && this != PAUSED;
    }

    /** Whether a job may go from this state to another. */
    public boolean leadsTo(JobState next) {
        return switch (this) {
            case PENDING -> next == PRECHECKING || next == PAUSED || next == CANCELLING;
            case PRECHECKING ->
                next == RUNNING || next == PAUSING || next == CANCELLING || next == PENDING || ended(next);
            case RUNNING -> next == PAUSING || next == PAUSED || next == CANCELLING || next == PENDING || ended(next);
            case PAUSING -> next == PAUSED || next == CANCELLING || ended(next);
            case PAUSED -> next == PENDING || next == CANCELLING;
            case CANCELLING -> next == REVERTING || ended(next);
            case REVERTING -> next == CANCELLED || next == SUCCEEDED || next == SUCCEEDED_WITH_REJECTS;
            case SUCCEEDED, SUCCEEDED_WITH_REJECTS, FAILED, CANCELLED -> false;
        };
    }

    private static boolean ended(JobState next) {
        return next == SUCCEEDED || next == SUCCEEDED_WITH_REJECTS || next == FAILED;
    }

    /**
     * The state that an action brings a job in this state to at once: this one when it is there or on its way, null
     * when the action does not fit.
     */
    public @Nullable JobState after(Action action) {
        return switch (action) {
            case PAUSE ->
                switch (this) {
                    case PENDING -> PAUSED;
                    case PRECHECKING, RUNNING -> PAUSING;
                    case PAUSING, PAUSED -> this;
                    default -> null;
                };
            case RESUME ->
                switch (this) {
                    case PAUSED -> PENDING;
                    case PENDING, PRECHECKING, RUNNING -> this;
                    default -> null;
                };
            case CANCEL ->
                switch (this) {
                    case PENDING, PRECHECKING, RUNNING, PAUSING, PAUSED -> CANCELLING;
                    case CANCELLING, REVERTING, CANCELLED -> this;
                    default -> null;
                };
        };
    }

    /** What may be asked of a job in this state that would change something. */
    public Set<Action> actions() {
        Set<Action> actions = EnumSet.noneOf(Action.class);
        for (Action action : Action.values()) {
            JobState next = after(action);
            if (next != null && next != this) {
                actions.add(action);
            }
        }
        return actions;
    }

    /** The name in the API. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The state of that name, or null. */
    public static @Nullable JobState of(String label) {
        for (JobState state : values()) {
            if (state.label().equals(label)) {
                return state;
            }
        }
        return null;
    }
}
