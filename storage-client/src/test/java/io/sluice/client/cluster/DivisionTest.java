package io.sluice.client.cluster;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.RangeDirectory;
import io.sluice.model.kv.KeySpan;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Every index is split once and evenly, in any order, and keeps its ranges afterwards. */
class DivisionTest {
    private static final KeySpan FIRST = KeySpan.ofPrefix(new byte[] {10});
    /** Begins where the first one ends. */
    private static final KeySpan SECOND = KeySpan.ofPrefix(new byte[] {11});

    private static List<byte[]> proposed(KeySpan index, int parts) {
        List<byte[]> keys = new ArrayList<>();
        for (int i = 1; i < parts; i++) {
            keys.add(new byte[] {index.start()[0], (byte) i});
        }
        return keys;
    }

    private static List<String> ids(int nodes) {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < nodes; i++) {
            ids.add("n" + i);
        }
        return ids;
    }

    /** Number of parts of an index on a node. */
    private static int partsOf(RangeDirectory directory, KeySpan index, int parts, String node) {
        int held = 0;
        for (int part = 0; part < parts; part++) {
            int range = directory.rangeOf(new byte[] {index.start()[0], (byte) part, 1});
            held += directory.ranges().get(range).nodes().contains(node) ? 1 : 0;
        }
        return held;
    }

    @Test
    void neighbouringIndexesSplitInAnyOrder() {
        Division division = new Division(ids(3), 1);
        for (List<KeySpan> order : List.of(List.of(FIRST, SECOND), List.of(SECOND, FIRST))) {
            RangeDirectory directory = new RangeDirectory(0, List.of());
            for (KeySpan index : order) {
                assertFalse(Division.isSplit(directory, index), index + " in " + directory);
                directory = division.split(directory, index, proposed(index, 60));
                assertTrue(Division.isSplit(directory, index), index + " in " + directory);
            }
            for (KeySpan index : order) {
                for (String node : ids(3)) {
                    assertEquals(20, partsOf(directory, index, 60, node), node + " of " + index);
                }
            }
        }
    }

    @Test
    void sharesDifferByOnePartAtMost() {
        for (int nodes = 1; nodes <= 7; nodes++) {
            for (int replicas = 1; replicas <= nodes; replicas++) {
                for (int parts : new int[] {2, 5, 70, 100}) {
                    Division division = new Division(ids(nodes), replicas);
                    RangeDirectory directory =
                            division.split(new RangeDirectory(0, List.of()), FIRST, proposed(FIRST, parts));
                    String context = nodes + " nodes, " + replicas + " replicas, " + parts + " parts: " + directory;
                    int held = 0;
                    for (String node : ids(nodes)) {
                        int share = partsOf(directory, FIRST, parts, node);
                        held += share;
                        assertTrue(share <= replicas * ((parts + nodes - 1) / nodes), node + " of " + context);
                        assertTrue(share >= replicas * (parts / nodes), node + " of " + context);
                    }
                    assertEquals(parts * replicas, held, context);
                    for (RangeDirectory.Range range : directory.ranges()) {
                        Set<String> distinct = new HashSet<>(range.nodes());
                        assertEquals(replicas, distinct.size(), context);
                    }
                }
            }
        }
    }

    @Test
    void anIndexWithoutSplitKeysStaysOnOneNodeAndIsNotSplitAgain() {
        Division division = new Division(ids(3), 1);
        RangeDirectory directory = division.split(new RangeDirectory(0, List.of()), FIRST, List.of());
        assertTrue(Division.isSplit(directory, FIRST), directory.toString());
        assertFalse(Division.isSplit(directory, SECOND), directory.toString());
        List<byte[]> cuts = Division.cuts(directory, FIRST);
        assertEquals(1, cuts.size());
        assertArrayEquals(new byte[] {10, 0}, cuts.get(0));
    }

    @Test
    void keysThatLieElsewhereAreNotProposed() {
        Division division = new Division(ids(2), 1);
        RangeDirectory directory = division.split(
                new RangeDirectory(0, List.of()),
                SECOND,
                List.of(new byte[] {10, 5}, new byte[] {11}, new byte[] {11, 4}, new byte[] {11, 4}, new byte[] {12}));
        assertEquals(1, Division.cuts(directory, SECOND).size());
        assertFalse(Division.isSplit(directory, FIRST), directory.toString());
    }
}
