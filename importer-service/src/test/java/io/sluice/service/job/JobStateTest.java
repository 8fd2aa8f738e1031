package io.sluice.service.job;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.service.job.JobState.Action;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The state machine of jobs as two tables: the transitions of the service, and the actions of clients. */
class JobStateTest {
    private static final String TRANSITIONS = """
            pending                -> prechecking paused cancelling
            prechecking            -> pending running pausing paused cancelling succeeded succeeded_with_rejects failed
            running                -> pending pausing paused cancelling succeeded succeeded_with_rejects failed
            pausing                -> paused cancelling succeeded succeeded_with_rejects failed
            paused                 -> pending cancelling
            cancelling             -> reverting succeeded succeeded_with_rejects failed
            reverting              -> succeeded succeeded_with_rejects cancelled
            succeeded              ->
            succeeded_with_rejects ->
            failed                 ->
            cancelled              ->
            """;

    /** A dot: the state does not allow the action. */
    private static final String ACTIONS = """
                                   pause      resume      cancel
            pending                paused     pending     cancelling
            prechecking            pausing    prechecking cancelling
            running                pausing    running     cancelling
            pausing                pausing    .           cancelling
            paused                 paused     pending     cancelling
            cancelling             .          .           cancelling
            reverting              .          .           reverting
            succeeded              .          .           .
            succeeded_with_rejects .          .           .
            failed                 .          .           .
            cancelled              .          .           cancelled
            """;

    @Test
    void statesChangeOnlyAsInTheTable() {
        StringBuilder table = new StringBuilder();
        for (JobState from : JobState.values()) {
            String next = Arrays.stream(JobState.values())
                    .filter(from::leadsTo)
                    .map(JobState::label)
                    .collect(Collectors.joining(" "));
            table.append(String.format("%-22s -> %s", from.label(), next).stripTrailing())
                    .append('\n');
        }
        assertEquals(TRANSITIONS, table.toString());
    }

    @Test
    void actionsChangeStatesOnlyAsInTheTable() {
        StringBuilder table =
                new StringBuilder(String.format("%-22s %-10s %-11s %s%n", "", "pause", "resume", "cancel"));
        for (JobState from : JobState.values()) {
            table.append(String.format(
                    "%-22s %-10s %-11s %s%n",
                    from.label(), after(from, Action.PAUSE), after(from, Action.RESUME), after(from, Action.CANCEL)));
        }
        assertEquals(ACTIONS, table.toString());
    }

    private static String after(JobState from, Action action) {
        JobState next = from.after(action);
        return next == null ? "." : next.label();
    }

    @Test
    void everyActionIsAnAllowedTransition() {
        for (JobState from : JobState.values()) {
            for (Action action : from.actions()) {
                JobState next = from.after(action);
                assertEquals(true, next != null && from.leadsTo(next), from + " " + action);
            }
        }
    }

    @Test
    void finalStatesHaveNoNextState() {
        for (JobState state : JobState.values()) {
            boolean ends = Arrays.stream(JobState.values()).noneMatch(state::leadsTo);
            assertEquals(ends, state.isFinal(), state.label());
        }
    }
}
