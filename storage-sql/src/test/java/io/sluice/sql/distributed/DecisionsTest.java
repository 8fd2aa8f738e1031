package io.sluice.sql.distributed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.api.transaction.Decision;
import io.sluice.api.transaction.LogPosition;
import io.sluice.api.transaction.Outcome;
import io.sluice.grammar.StatementException;
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
                .apply(index, new Decisions.Entry(List.of(new Decision(id(transaction), all, seen, null)), null))
                .get(0);
    }

    private String apply(String line) {
        String[] words = line.split(" ", -1);
        return switch (words[0]) {
            case "commit" ->
                decide(words[1], words[2], Long.parseLong(words[3])).text();
            case "apply" -> position(words[1], words[2], words[3]);
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

    /** Commits a position after another one; returns the outcome, and the position that is known then. */
    private String position(String transaction, String before, String position) {
        index++;
        byte[] last = before.equals("-") ? null : before.getBytes(StandardCharsets.UTF_8);
        LogPosition log = new LogPosition("log", position.getBytes(StandardCharsets.UTF_8), last);
        Decision decision = new Decision(id(transaction), List.of("a"), index, log);
        Outcome outcome = decisions
                .apply(index, new Decisions.Entry(List.of(decision), null))
                .get(0);
        byte[] known = decisions.position("log");
        return outcome.text() + " " + (known == null ? "-" : new String(known, StandardCharsets.UTF_8));
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

    /** The second u is of another run, the second t comes after the log has forgotten it, twice. */
    private static final String POSITIONS_FOLLOW_EACH_OTHER = """
            apply t - 10: committed 10
            apply u - 10: committed 10
            report a 2: 0 kept
            apply t - 10: committed 10
            apply v 10 20: committed 20
            report a 5: 0 kept
            apply t - 10: aborted 20
            apply w 10 15: aborted 20
            apply x 20 10: committed 10
            """;

    /** @param restored whether each entry is applied to a snapshot of the state */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void firstDecisionCountsUntilAllNodesHaveReported(boolean restored) {
        for (String script : List.of(
                FIRST_COUNTS,
                FORGOTTEN_WHEN_REPORTED,
                REPORTS_ARE_FOR_ALL_BEFORE,
                REMOVED_NODE_IS_NOT_AWAITED,
                POSITIONS_FOLLOW_EACH_OTHER)) {
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

    @Test
    void positionsAreBounded() {
        for (int i = 0; i < Decisions.MAX_LOGS; i++) {
            assertEquals(Outcome.COMMITTED, ofLog("log" + i));
        }
        assertEquals(Outcome.ABORTED, ofLog("other"));
        assertThrows(StatementException.class, () -> decisions.position("other"));
        assertNotNull(decisions.position("log0"));
    }

    private Outcome ofLog(String name) {
        index++;
        LogPosition log = new LogPosition(name, new byte[1], null);
        Decision decision = new Decision(id(name), List.of("a"), index, log);
        Outcome outcome = decisions
                .apply(index, new Decisions.Entry(List.of(decision), null))
                .get(0);
        String unused = report("a", index);
        return outcome;
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
