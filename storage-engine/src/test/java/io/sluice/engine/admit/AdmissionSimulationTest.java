package io.sluice.engine.admit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.engine.admit.AdmissionDecision.Admit;
import io.sluice.engine.admit.AdmissionDecision.Defer;
import java.util.Arrays;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Simulates writers that send more SSTs than the node can compact. The stack must not reach its limit, and the
 * admission rate must converge to the compaction rate.
 */
class AdmissionSimulationTest {
    private static final long SST_BYTES = 16L << 20;
    private static final int WRITERS = 24;
    private static final long DURATION_MILLIS = 600_000;
    private static final long INGEST_MILLIS = 150;
    private static final AdmissionSettings SETTINGS = AdmissionSettings.defaults();

    /** A node with one stack. Merges run at a fixed rate, {@code fanIn} places at a time. */
    private static final class Node {
        final AdmissionPolicy policy = new AdmissionPolicy(SETTINGS);
        final int fanIn;
        final long mergeMillis;
        AdmissionState state = AdmissionState.IDLE;
        int height;
        int onTheirWay;
        int tallest;
        long mergesAt;

        Node(int fanIn, long mergeMillis) {
            this.fanIn = fanIn;
            this.mergeMillis = mergeMillis;
            this.mergesAt = mergeMillis;
        }

        AdmissionDecision ask(long now) {
            NodeLoad load = new NodeLoad(
                    height + onTheirWay,
                    height,
                    Math.max(0, height - 10) * SST_BYTES,
                    onTheirWay * SST_BYTES,
                    1L << 40,
                    WriteStall.NONE,
                    now);
            AdmissionPolicy.Outcome outcome = policy.decide(SST_BYTES, load, state);
            state = outcome.state();
            return outcome.decision();
        }

        void mergeUntil(long now) {
            while (mergesAt <= now) {
                if (height >= fanIn) {
                    height -= fanIn - 1;
                }
                mergesAt += mergeMillis;
            }
        }

        void land() {
            onTheirWay--;
            height++;
            tallest = Math.max(tallest, height);
        }
    }

    private record Event(long atMillis, int writer, boolean lands) {}

    /** Runs bursts of all writers for ten minutes, and returns the admitted SSTs of each. */
    private static long[] run(Node node, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        PriorityQueue<Event> events = new PriorityQueue<>((a, b) -> Long.compare(a.atMillis(), b.atMillis()));
        for (int writer = 0; writer < WRITERS; writer++) {
            events.add(new Event(random.nextInt(100), writer, false));
        }
        long[] perMinute = new long[(int) (DURATION_MILLIS / 60_000) + 1];
        for (Event event = events.poll(); event != null && event.atMillis() < DURATION_MILLIS; event = events.poll()) {
            long now = event.atMillis();
            node.mergeUntil(now);
            if (event.lands()) {
                node.land();
                continue;
            }
            AdmissionDecision decision = node.ask(now);
            long next = now + 1 + random.nextInt(20);
            if (decision instanceof Admit) {
                node.onTheirWay++;
                perMinute[(int) (now / 60_000)]++;
                events.add(new Event(now + random.nextLong(INGEST_MILLIS), event.writer(), true));
            } else if (decision instanceof Defer defer) {
                next = now + defer.afterMillis();
            }
            events.add(new Event(next, event.writer(), false));
        }
        return perMinute;
    }

    private static void converges(int fanIn, long mergeMillis) {
        long first = Long.getLong("sluice.seed", System.nanoTime());
        for (long seed = first; seed < first + 5; seed++) {
            Node node = new Node(fanIn, mergeMillis);
            long[] perMinute = run(node, seed);
            String context =
                    "seed " + seed + ", tallest " + node.tallest + ", per minute " + Arrays.toString(perMinute);
            assertTrue(node.tallest <= SETTINGS.hardHeight(), context);
            double drained = 60_000.0 / mergeMillis * (fanIn - 1);
            for (int minute = 2; minute < 10; minute++) {
                assertEquals(drained, (double) perMinute[minute], drained * 0.1, context);
            }
        }
    }

    @Test
    void importConvergesToTheCompactionRate() {
        converges(16, 2_000);
    }

    @Test
    void fastCompactionsOfNarrowFanInConverge() {
        converges(4, 500);
    }

    @Test
    void slowCompactionsOfWideFanInConverge() {
        converges(40, 6_000);
    }
}
