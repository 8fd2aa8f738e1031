package io.sluice.service.job;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The state of a job. In the drawing time goes from left to right. When a service ends, states stay; the next service
 * puts prechecking and running jobs into the queue again.
 *
 * <pre>
 *                 .------------------- resume -------------------.
 *                 v                                              |
 *   create --> PENDING --> PRECHECKING --> RUNNING --> PAUSING --> PAUSED
 *                 |           | |          |  |  |        |          |
 *                 |           '-|----------|--|--'- a node is away --^
 *                 |             |          |  |           |          |
 *                 |             '----------|--+-----------+----------|--> SUCCEEDED, SUCCEEDED_WITH_REJECTS, FAILED
 *                 |                        |              |          |         (PRECHECKING: FAILED, or it was published)
 *                 '------ cancel ----------+--------------+----------'
 *                                          v
 *                                     CANCELLING --> REVERTING --> CANCELLED
 * </pre>
 *
 * <p>From PENDING a pause goes to PAUSED at once. A job that is publishing when a pause or a cancel arrives succeeds.
 */
public enum JobState {
    /** The job waits for a thread. */
    @JsonProperty("pending")
    PENDING,
    /** The job checks all inputs before it imports. */
    @JsonProperty("prechecking")
    PRECHECKING,
    /** The job imports. */
    @JsonProperty("running")
    RUNNING,
    /** The job stops and keeps its progress. */
    @JsonProperty("pausing")
    PAUSING,
    /** No thread works on the job; nodes keep what they have. */
    @JsonProperty("paused")
    PAUSED,
    /** The job stops because of a cancel. */
    @JsonProperty("cancelling")
    CANCELLING,
    /** The service undoes the import. */
    @JsonProperty("reverting")
    REVERTING,
    /** All rows are in the table. */
    @JsonProperty("succeeded")
    SUCCEEDED,
    /** All rows are in the table, except rejects and captured rows that lost a conflict. */
    @JsonProperty("succeeded_with_rejects")
    SUCCEEDED_WITH_REJECTS,
    /** The import failed and was undone. */
    @JsonProperty("failed")
    FAILED,
    /** A client cancelled the job, and the import was undone. */
    @JsonProperty("cancelled")
    CANCELLED;

    /** A client's action on a job. */
    public enum Action {
        PAUSE,
        RESUME,
        CANCEL;

        /** The action's name in paths and responses. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private static final Set<JobState> FINAL = EnumSet.of(SUCCEEDED, SUCCEEDED_WITH_REJECTS, FAILED, CANCELLED);

    /** Whether the state never changes again. */
    public boolean isFinal() {
        return FINAL.contains(this);
    }

    /** Whether a thread works on the job. */
    public boolean isActive() {
        return !isFinal() && this != PENDING && this != PAUSED;
    }

    /** Whether the transition to another state is allowed. */
    public boolean leadsTo(JobState next) {
        return switch (this) {
            case PENDING -> next == PRECHECKING || next == PAUSED || next == CANCELLING;
            case PRECHECKING ->
                next == RUNNING
                        || next == PAUSING
                        || next == PAUSED
                        || next == CANCELLING
                        || next == PENDING
                        || ended(next);
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
     * Returns the state directly after an action. This state, if the action is already done or in progress; null if
     * this state does not allow the action.
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

    /** The actions that would change a job in this state. */
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

    /** The state's name in the API. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Finds a state by its name in the API, or null. */
    public static @Nullable JobState of(String label) {
        for (JobState state : values()) {
            if (state.label().equals(label)) {
                return state;
            }
        }
        return null;
    }
}
