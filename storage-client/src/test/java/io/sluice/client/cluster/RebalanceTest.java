package io.sluice.client.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.RangeDirectory;
import io.sluice.api.node.TableStatus;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.Table;
import io.sluice.model.schema.TableDef;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Pictures of plans: {@code ab:10} is a range of 10 bytes on a and b, {@code 0:a>c} moves range 0 from a to c. */
class RebalanceTest {
    private static ReplicaPlan.Ranges table(String picture, int replicas) {
        List<RangeDirectory.Range> ranges = new ArrayList<>();
        List<Long> bytes = new ArrayList<>();
        for (String range : picture.split(" ", -1)) {
            byte[] start = ranges.isEmpty() ? new byte[0] : new byte[] {(byte) ranges.size()};
            int colon = range.indexOf(':');
            ranges.add(new RangeDirectory.Range(start, letters(range.substring(0, colon))));
            bytes.add(Long.parseLong(range.substring(colon + 1)));
        }
        return new ReplicaPlan.Ranges("t", new RangeDirectory(1, ranges).wanting(replicas), bytes);
    }

    private static List<String> letters(String picture) {
        return picture.chars().mapToObj(Character::toString).toList();
    }

    @ParameterizedTest(name = "{0}: {2} x {3} on {1}")
    @CsvSource(
            delimiter = '|',
            value = {
                //  what                                     | up   | ranges                          | wanted | moves
                "nodes are even                              | ab   | a:10 b:10                       | 1 | ''",
                "an empty node gets its share                | abc  | ab:10 ab:10 ab:10               | 2 | 0:b>c 1:a>c",
                "the largest that fits goes first            | ab   | a:30 a:20 a:10                  | 1 | 0:a>b",
                "none passes the even share, if one need not | ab   | a:60 a:25 a:15                  | 1 | 1:a>b 2:a>b",
                "a single range stays                        | ab   | a:10                            | 1 | ''",
                "a larger one stays                          | ab   | a:100 b:90                      | 1 | ''",
                "one that passes the share still evens       | ab   | a:40 a:40 b:30                  | 1 | 1:a>b",
                "a replica never meets another of its range  | ab   | ab:10 a:10 a:10                 | 1 | 1:a>b",
                "empty ranges stay                           | ab   | a:0 a:0 a:10 a:10               | 1 | 2:a>b",
                "a range with a node that is down stays      | ab   | ac:10 ac:10                     | 2 | ''",
                "a table that is short of replicas stays     | ab   | a:10 a:10                       | 2 | ''",
            })
    void planIs(String what, String up, String ranges, int wanted, String moves) {
        String drawing = Rebalance.plan(letters(up), List.of(table(ranges, wanted))).stream()
                .map(copy -> copy.range() + ":" + copy.leaving() + ">" + copy.target())
                .collect(Collectors.joining(" "));
        assertEquals(moves, drawing, what);
    }

    @ParameterizedTest(name = "{0}: {2} on {1}")
    @CsvSource(
            delimiter = '|',
            value = {
                //  what                                   | up  | ranges, MiB      | wanted | most, MiB | parts by
                // range
                "whole ranges even the nodes               | abc | a:40 b:40 a:40   | 1 | 0  | {}",
                "one range has all                         | abc | a:1 a:100        | 1 | 0  | {1=80}",
                "a range of the size that is given stays   | ab  | a:10 b:10        | 1 | 10 | {}",
                "one over it is split although all is even | ab  | a:11 b:10        | 1 | 10 | {0=2}",
                "parts have three quarters of the size     | ab  | a:31 b:30        | 1 | 10 | {0=5, 1=4}",
                "a table that is short of replicas stays   | ab  | a:1 a:100        | 2 | 0  | {}",
                "unless the size is given                  | ab  | a:100            | 2 | 10 | {0=14}",
                "a range on a node that is down stays      | ab  | c:100 a:1        | 1 | 10 | {}",
                "the others of its table do not            | ab  | c:100 a:11       | 1 | 10 | {1=2}",
            })
    void splitsAre(String what, String up, String picture, int wanted, long most, String parts) {
        ReplicaPlan.Ranges drawn = table(picture, wanted);
        List<Long> bytes = drawn.bytes().stream().map(size -> size << 20).toList();
        ReplicaPlan.Ranges table = new ReplicaPlan.Ranges("t", drawn.directory(), bytes);
        assertEquals(
                parts,
                RangeSplits.plan(letters(up), List.of(table), most << 20)
                        .getOrDefault("t", Map.of())
                        .toString(),
                what);
    }

    /** An entry of the log has all ranges of a table, so there is a limit; the largest ranges get most of the parts. */
    @Test
    void numberOfRangesIsLimited() {
        ReplicaPlan.Ranges table = table("a:1000000 b:500000 a:1", 1);
        Map<Integer, Integer> parts =
                RangeSplits.plan(letters("ab"), List.of(table), 100).getOrDefault("t", Map.of());
        int ranges = 3 + parts.values().stream().mapToInt(count -> count - 1).sum();
        assertTrue(ranges <= RangeSplits.MOST_RANGES && ranges > RangeSplits.MOST_RANGES * 9 / 10, parts.toString());
        assertEquals(Set.of(0, 1), parts.keySet());
    }

    @Test
    void voidPlanHasTheReason() {
        RangeDirectory planned = table("ab:10 ab:10", 2).directory();
        RangeDirectory split = table("ab:10 ab:5 ab:5", 2).directory();
        assertNull(Rebalancing.change(planned, 7, status(7, planned)));
        assertNull(
                Rebalancing.change(planned, 7, status(7, table("ac:10 cb:10", 2).directory())), "only moved");
        assertEquals(
                "its ranges were split by another command meanwhile", Rebalancing.change(planned, 7, status(7, split)));
        assertEquals("it was dropped meanwhile", Rebalancing.change(planned, 7, null));
        assertEquals(
                "it was dropped meanwhile, and another table has its name",
                Rebalancing.change(planned, 7, status(8, planned)));
    }

    private static TableStatus status(int id, RangeDirectory directory) {
        TableDef def = Ddl.parse("CREATE TABLE t (a INT PRIMARY KEY)", "test").get(0);
        return new TableStatus(Table.bind(def, id, parent -> null), List.of(), Instant.EPOCH, directory, List.of());
    }

    /** There is room for half of the parts that are wanted, two of each range. */
    @Test
    void roomForRangesIsUsedUp() {
        List<RangeDirectory.Range> ranges = new ArrayList<>();
        List<Long> bytes = new ArrayList<>();
        for (int i = 0; i < RangeSplits.MOST_RANGES * 2 / 3; i++) {
            byte[] start = i == 0 ? new byte[0] : new byte[] {(byte) (i >> 8), (byte) i};
            ranges.add(new RangeDirectory.Range(start, List.of("a")));
            bytes.add(110L + i % 2);
        }
        ReplicaPlan.Ranges table = new ReplicaPlan.Ranges("t", new RangeDirectory(1, ranges), bytes);
        Map<Integer, Integer> parts =
                RangeSplits.plan(letters("ab"), List.of(table), 100).getOrDefault("t", Map.of());
        assertEquals(RangeSplits.MOST_RANGES - ranges.size(), parts.size());
        assertEquals(Set.of(2), Set.copyOf(parts.values()));
        // The larger ones are first.
        assertEquals(
                666, parts.keySet().stream().filter(range -> range % 2 == 1).count());
    }

    /** Random ranges on random nodes: afterwards no range is left that would even two nodes. */
    @Test
    void nothingIsLeftToMove() {
        long seed = Long.getLong("sluice.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            int nodes = 2 + random.nextInt(8);
            int replicas = 1 + random.nextInt(Math.min(3, nodes));
            List<String> up = letters("abcdefghij".substring(0, nodes));
            List<RangeDirectory.Range> ranges = new ArrayList<>();
            List<Long> bytes = new ArrayList<>();
            for (int i = 0; i < 1 + random.nextInt(60); i++) {
                List<String> holders = new ArrayList<>(up);
                Collections.shuffle(holders, random);
                byte[] start = i == 0 ? new byte[0] : new byte[] {(byte) i};
                ranges.add(new RangeDirectory.Range(start, holders.subList(0, replicas)));
                bytes.add((long) random.nextInt(1 << random.nextInt(20)));
            }
            RangeDirectory directory = new RangeDirectory(1, ranges);
            List<ReplicaPlan.Ranges> before = List.of(new ReplicaPlan.Ranges("t", directory, bytes));
            List<ReplicaPlan.Copy> plan = Rebalance.plan(up, before);
            for (ReplicaPlan.Copy copy : plan) {
                assertTrue(directory.ranges().get(copy.range()).nodes().contains(copy.source()), "seed " + seed);
                directory = directory.replacing(
                        copy.range(), String.valueOf(copy.leaving()), copy.target(), copy.target() + ":1");
            }
            for (RangeDirectory.Range range : directory.ranges()) {
                assertEquals(replicas, new HashSet<>(range.nodes()).size(), "seed " + seed);
            }
            List<ReplicaPlan.Ranges> after = List.of(new ReplicaPlan.Ranges("t", directory, bytes));
            Map<String, Long> loads = Rebalance.bytes(up, after, List.of());
            assertEquals(Rebalance.bytes(up, before, plan), loads, "seed " + seed);
            long share = loads.values().stream().mapToLong(Long::longValue).sum() / nodes;
            for (String full : up) {
                for (String empty : up) {
                    long gap = loads.getOrDefault(full, 0L) - loads.getOrDefault(empty, 0L);
                    for (int i = 0; i < ranges.size() && gap * Rebalance.TOLERANCE > share; i++) {
                        List<String> holders = directory.ranges().get(i).nodes();
                        boolean evens = bytes.get(i) > 0
                                && bytes.get(i) < gap
                                && holders.contains(full)
                                && !holders.contains(empty);
                        assertTrue(!evens, "seed " + seed + ": range " + i + " from " + full + " to " + empty);
                    }
                }
            }
        }
    }

    /** A node of many bytes in one range stays so; that is not even. */
    @Test
    void nodesAreEvenIfNoMoveIsMadeForTheirDifference() {
        assertTrue(Rebalancing.even(Map.of()));
        assertTrue(Rebalancing.even(Map.of("a", 0L, "b", 0L)));
        assertTrue(Rebalancing.even(Map.of("a", 1_025L, "b", 975L)));
        assertFalse(Rebalancing.even(Map.of("a", 1_026L, "b", 974L)));
        assertFalse(Rebalancing.even(Map.of("a", 100L, "b", 0L)));
    }
}
