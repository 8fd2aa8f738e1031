package io.sluice.sql.distributed;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.api.transaction.Decision;
import io.sluice.api.transaction.Outcome;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the outcomes of transactions by scripts of entries. The first line of a script is entry 1. */
class DecisionsTest {
    private final Set<String> removed = new HashSet<>();
    private Decisions decisions = new Decisions(removed::contains);
    private long index;

    private static UUID id(String name) {
        return UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8));
    }

    private Outcome decide(String transaction, String nodes, long seen) {
        index++;
        List<String> all = nodes.isEmpty() ? null : List.of(nodes.split("\\+", -1));
        return decisions
                .apply(index, new Decisions.Entry(List.of(new Decision(id(transaction), all, seen)), null))
                .get(0);
    }

    private String apply(String line) {
        String[] words = line.split(" ", -1);
        return switch (words[0]) {
            case "commit" ->
                decide(words[1], words[2], Long.parseLong(words[3])).text();
            case "abort" -> decide(words[1], "", Long.parseLong(words[2])).text();
            case "report" -> report(words[1], Long.parseLong(words[2]));
            case "remove" -> {
                index++;
                removed.add(words[1]);
                decisions.nodesRemoved();
                yield decisions.commits() + " kept";
            }
            case "unreported" -> {
                index++;
                yield Long.toString(decisions.unreported(words[1]));
            }
            default -> throw new IllegalArgumentException(line);
        };
    }

    private String report(String node, long through) {
        index++;
        assertEquals(
                List.of(), decisions.apply(index, new Decisions.Entry(List.of(), new Decisions.Report(node, through))));
        return decisions.commits() + " kept";
    }

    private static final String FIRST_COUNTS = """
            commit t a+b 0: committed
            abort t 0: committed
            commit t a+b 0: committed
            abort u 0: aborted
            commit u a+b 0: aborted
            abort u 4: aborted
            """;

    /** The late abort of t is of a node whose branch has ended; u is undecided. */
    private static final String FORGOTTEN_WHEN_REPORTED = """
            commit t a+b 0: committed
            unreported a: 1
            unreported c: 0
            report a 1: 1 kept
            unreported a: 0
            unreported b: 1
            abort t 0: committed
            report b 1: 0 kept
            abort t 0: unknown
            abort u 0: unknown
            abort u 8: aborted
            """;

    private static final String REPORTS_ARE_FOR_ALL_BEFORE = """
            commit t a+b 0: committed
            commit u b+c 0: committed
            commit v a+c 0: committed
            report b 2: 3 kept
            report a 1: 2 kept
            report c 3: 1 kept
            report a 0: 1 kept
            unreported a: 3
            report a 3: 0 kept
            """;

    private static final String REMOVED_NODE_IS_NOT_AWAITED = """
            commit t a+b 0: committed
            commit u a+c 0: committed
            report a 2: 2 kept
            remove b: 1 kept
            abort u 0: committed
            report b 9: 1 kept
            report c 2: 0 kept
            """;

    /** @param restored whether each entry is applied to a snapshot of the state */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void firstDecisionCountsUntilAllNodesHaveReported(boolean restored) {
        for (String script : List.of(
                FIRST_COUNTS, FORGOTTEN_WHEN_REPORTED, REPORTS_ARE_FOR_ALL_BEFORE, REMOVED_NODE_IS_NOT_AWAITED)) {
            decisions = new Decisions(removed::contains);
            removed.clear();
            index = 0;
            StringBuilder actual = new StringBuilder();
            script.lines().forEach(line -> {
                String entry = line.substring(0, line.indexOf(':'));
                actual.append(entry).append(": ").append(apply(entry)).append('\n');
                if (restored) {
                    Decisions copy = new Decisions(removed::contains);
                    copy.restore(decisions.stored());
                    decisions = copy;
                }
            });
            assertEquals(script, actual.toString());
        }
    }

    /** @param seen what the coordinator of the first transaction saw before it prepared */
    @ParameterizedTest
    @CsvSource({"0, ABORTED", "1, COMMITTED"})
    void forgottenAbortRefusesALateCommit(long seen, Outcome outcome) {
        for (int i = 0; i <= Decisions.MAX_ABORTS; i++) {
            assertEquals(Outcome.ABORTED, decide("t" + i, "", 0));
        }
        assertEquals(Outcome.UNKNOWN, decisions.outcome(id("t0")));
        assertEquals(Outcome.ABORTED, decisions.outcome(id("t1")));
        // Entry 1 is the abort: no coordinator that saw it had prepared before.
        assertEquals(outcome, decide("t0", "a+b", seen));
    }

    @Test
    void commitsBeyondTheLimitAreAborted() {
        for (int i = 0; i < Decisions.MAX_COMMITS; i++) {
            assertEquals(Outcome.COMMITTED, decide("t" + i, "a+b", 0));
        }
        assertEquals(Outcome.ABORTED, decide("late", "a+b", 0));
        assertEquals(Outcome.COMMITTED, decide("t0", "a+b", 0));
        removed.add("b");
        decisions.nodesRemoved();
        assertEquals(Decisions.MAX_COMMITS, decisions.commits());
        removed.add("a");
        decisions.nodesRemoved();
        assertEquals(0, decisions.commits());
        assertEquals(Outcome.ABORTED, decide("late", "a+b", index));
    }
}
