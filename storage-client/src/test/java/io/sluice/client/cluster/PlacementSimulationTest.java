package io.sluice.client.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.RangeDirectory;
import io.sluice.model.kv.KeySpan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The placement of imports ({@link Division}), {@link RangeSplits}, {@link Rebalance} and the repair planner
 * ({@link ReplicaPlan}) on a model of a cluster that loses nodes. In each round some nodes are lost and removed, and as
 * many new ones join; then tables are repaired, while sources and targets die in the middle of copies: the places of
 * that table stay as they were, and it is planned again.
 *
 * <p>The suite takes a small cluster. {@code -Dsluice.placement.nodes=1000 -Dsluice.placement.tables=250} has a million
 * ranges; {@code .ci/nightly placement} runs that. It prints the bytes moved against the minimum, and how even nodes
 * are.
 */
class PlacementSimulationTest {
    private static final int NODES = Integer.getInteger("sluice.placement.nodes", 60);
    private static final int TABLES = Integer.getInteger("sluice.placement.tables", 20);
    private static final int ROUNDS = Integer.getInteger("sluice.placement.rounds", 5);
    private static final int REPLICAS = 3;
    /** Parts that an import proposes per node: with ten, nodes differ by a tenth at most. */
    private static final int PARTS_PER_NODE = 10;
    /** One of so many nodes is lost in a round, and at least one. */
    private static final int LOST_OF = 100;
    /** One of so many copies of a table meets the death of a node, in a round as many nodes as were lost before. */
    private static final int DEATH_OF = 20;
    /** Plans in a round until all is repaired. */
    private static final int MOST_PLANS = 10;

    private final long seed = Long.getLong("sluice.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final Set<String> up = new TreeSet<>();
    private final Map<String, RangeDirectory> tables = new LinkedHashMap<>();
    private final Map<String, Long> rangeBytes = new HashMap<>();
    private int named;
    private int deaths;
    private long moved;
    private long wasted;
    private long minimum;
    private int plans;

    private String join() {
        String id = String.format(Locale.ROOT, "n%05d", named++);
        up.add(id);
        return id;
    }

    private void create(int table) {
        List<String> ids = new ArrayList<>(up);
        Collections.rotate(ids, -table % ids.size());
        create(table, ids);
    }

    private void create(int table, List<String> ids) {
        KeySpan index = KeySpan.ofPrefix(new byte[] {10});
        List<byte[]> cuts = new ArrayList<>();
        for (int i = 1; i < PARTS_PER_NODE * ids.size(); i++) {
            cuts.add(new byte[] {10, (byte) (i >> 16), (byte) (i >> 8), (byte) i});
        }
        String name = "t" + table;
        tables.put(name, new Division(ids, REPLICAS).split(RangeDirectory.SINGLE_NODE, index, cuts));
        rangeBytes.put(name, 1L + random.nextInt(64 << 20));
    }

    /** Nodes die and are removed, as long as each range keeps a replica: 'cluster remove' refuses the others. */
    private void lose(int count) {
        for (int i = 0; i < count; i++) {
            String lost = List.copyOf(up).get(random.nextInt(up.size()));
            Map<String, RangeDirectory> after = new LinkedHashMap<>();
            tables.forEach((name, directory) -> after.put(name, directory.without(lost)));
            boolean only = after.values().stream()
                    .flatMap(directory -> directory.ranges().stream())
                    .anyMatch(range -> range.nodes().isEmpty());
            if (!only) {
                up.remove(lost);
                tables.putAll(after);
            }
        }
    }

    private List<ReplicaPlan.Ranges> ranges() {
        return tables.entrySet().stream()
                .map(table -> new ReplicaPlan.Ranges(
                        table.getKey(), table.getValue(), rangeBytes.getOrDefault(table.getKey(), 0L)))
                .toList();
    }

    private long missingBytes() {
        return tables.entrySet().stream()
                .mapToLong(table -> table.getValue().missing() * rangeBytes.getOrDefault(table.getKey(), 0L))
                .sum();
    }

    /** Executes one plan; a table whose copies meet the death of a node keeps its places. */
    private void execute(ReplicaPlan.Plan plan) {
        Map<String, List<ReplicaPlan.Copy>> byTable =
                plan.copies().stream().collect(Collectors.groupingBy(ReplicaPlan.Copy::table));
        List<String> order = new ArrayList<>(byTable.keySet());
        Collections.sort(order);
        Collections.shuffle(order, random);
        for (String name : order) {
            List<ReplicaPlan.Copy> copies = byTable.getOrDefault(name, List.of());
            long bytes = copies.size() * rangeBytes.getOrDefault(name, 0L);
            if (deaths > 0 && random.nextInt(DEATH_OF) == 0) {
                ReplicaPlan.Copy broken = copies.get(random.nextInt(copies.size()));
                if (!mayDie(random.nextBoolean() ? broken.source() : broken.target())) {
                    continue;
                }
                wasted += (long) (bytes * random.nextDouble());
            } else if (copies.stream().allMatch(copy -> up.contains(copy.source()) && up.contains(copy.target()))) {
                RangeDirectory next = tables.getOrDefault(name, RangeDirectory.SINGLE_NODE);
                for (ReplicaPlan.Copy copy : copies) {
                    Set<String> holders =
                            Set.copyOf(next.ranges().get(copy.range()).nodes());
                    assertTrue(holders.contains(copy.source()), () -> what() + copy);
                    assertFalse(holders.contains(copy.target()), () -> what() + copy);
                    next = next.with(copy.range(), copy.target(), "");
                }
                tables.put(name, next);
                moved += bytes;
            }
        }
    }

    /** A node dies, unless it has the last replica of a range; as many replicas are missing then. */
    private boolean mayDie(String node) {
        Set<String> before = new HashSet<>(up);
        long missing = missingBytes();
        for (String name : List.copyOf(tables.keySet())) {
            RangeDirectory after =
                    tables.getOrDefault(name, RangeDirectory.SINGLE_NODE).without(node);
            if (after.ranges().stream().anyMatch(range -> range.nodes().isEmpty())) {
                return false;
            }
        }
        tables.replaceAll((name, directory) -> directory.without(node));
        up.remove(node);
        minimum += missingBytes() - missing;
        deaths--;
        return before.size() > up.size();
    }

    private String what() {
        return "seed " + seed + ": ";
    }

    private void assertLive() {
        tables.forEach((name, directory) -> {
            for (RangeDirectory.Range range : directory.ranges()) {
                assertTrue(
                        range.nodes().stream().anyMatch(up::contains),
                        () -> what() + "no replica of " + name + " is left: " + range.nodes());
                assertEquals(
                        range.nodes().size(), Set.copyOf(range.nodes()).size(), () -> what() + "a node has it twice");
            }
        });
    }

    /** The bytes of the fullest node, as a multiple of an even share. */
    private double fullest() {
        Map<String, Long> bytes = new HashMap<>();
        tables.forEach((name, directory) -> directory.ranges().forEach(range -> range.nodes()
                .forEach(node -> bytes.merge(node, rangeBytes.getOrDefault(name, 0L), Long::sum))));
        long most = bytes.values().stream().mapToLong(Long::longValue).max().orElse(0);
        return (double) most
                * up.size()
                / bytes.values().stream().mapToLong(Long::longValue).sum();
    }

    private static void take(Map<String, Long> bytes, ReplicaPlan.Ranges table, RangeDirectory directory) {
        for (int range = 0; range < directory.ranges().size(); range++) {
            long size = table.bytes().get(range);
            directory.ranges().get(range).nodes().forEach(node -> bytes.merge(node, size, Long::sum));
        }
    }

    private Map<String, Long> bytes() {
        Map<String, Long> bytes = new HashMap<>();
        up.forEach(node -> bytes.put(node, 0L));
        ranges().forEach(table -> take(bytes, table, table.directory()));
        return bytes;
    }

    /** Does what a rebalancing plans: each replica leaves a node that has it for one that has none of its range. */
    private void move(List<ReplicaPlan.Copy> plan) {
        for (ReplicaPlan.Copy copy : plan) {
            RangeDirectory directory = tables.getOrDefault(copy.table(), RangeDirectory.SINGLE_NODE);
            List<String> holders = directory.ranges().get(copy.range()).nodes();
            String leaving = Objects.requireNonNull(copy.leaving());
            assertTrue(holders.contains(leaving) && !holders.contains(copy.target()), () -> what() + copy);
            tables.put(copy.table(), directory.replacing(copy.range(), leaving, copy.target(), ""));
        }
    }

    /** New nodes join; each gets its share, and the others keep theirs. */
    @Test
    void rebalancingEvensNodesWithFewBytes() {
        for (int i = 0; i < NODES; i++) {
            String unused = join();
        }
        for (int table = 0; table < TABLES; table++) {
            create(table);
        }
        for (int i = 0; i < Math.max(1, NODES / 10); i++) {
            String unused = join();
        }
        Map<String, Long> before = bytes();
        long share = before.values().stream().mapToLong(Long::longValue).sum() / up.size();
        long least = before.values().stream()
                .mapToLong(bytes -> Math.max(0, share - bytes))
                .sum();
        double evenBefore = fullest();
        long start = System.nanoTime();
        List<ReplicaPlan.Copy> plan = Rebalance.plan(up, ranges());
        long nanos = System.nanoTime() - start;
        move(plan);
        long bytes = plan.stream()
                .mapToLong(copy -> rangeBytes.getOrDefault(copy.table(), 0L))
                .sum();
        assertLive();
        tables.forEach((name, directory) -> assertEquals(0, directory.missing(), () -> what() + name));
        assertEquals(new HashMap<>(Rebalance.bytes(up, ranges(), List.of())), bytes(), what());
        long most = Collections.max(bytes().values());
        long fewest = Collections.min(bytes().values());
        long largest = Collections.max(rangeBytes.values());
        assertTrue(
                most - fewest <= Math.max(share / Rebalance.TOLERANCE, largest),
                () -> what() + "from " + fewest + " to " + most + " bytes");
        assertTrue(bytes <= least + least / 20 + largest, what() + bytes + " bytes moved, at least " + least);
        assertEquals(List.of(), Rebalance.plan(up, ranges()), what());
        System.out.printf(
                Locale.ROOT,
                "rebalance: seed %d, %d nodes, %d moves planned in %.0f ms, %.2f GB moved, %.2f GB is the least for"
                        + " evenness; fullest node %.3f of an even share before, %.3f after%n",
                seed,
                up.size(),
                plan.size(),
                nanos / 1e6,
                bytes / 1e9,
                least / 1e9,
                evenBefore,
                fullest());
    }

    /**
     * A table on a quarter of the nodes, so that there is room for more ranges. The last of them has nearly all rows,
     * as mode direct leaves them.
     */
    private ReplicaPlan.Ranges skewed(int table) {
        List<String> ids = new ArrayList<>(up);
        Collections.rotate(ids, -table * ids.size() / TABLES);
        create(table, ids.subList(0, ids.size() / 4));
        String name = "t" + table;
        RangeDirectory directory = tables.getOrDefault(name, RangeDirectory.SINGLE_NODE);
        int ranges = directory.ranges().size();
        List<Long> bytes = new ArrayList<>(Collections.nCopies(ranges, 1L << 20));
        bytes.set(ranges - 2, (1L + random.nextInt(64)) << 30);
        return new ReplicaPlan.Ranges(name, directory, bytes);
    }

    /** Splits and moves even what no move of whole ranges evens, and move no more bytes than that needs. */
    @Test
    void splitsEvenNodesWithFewBytes() {
        for (int i = 0; i < NODES; i++) {
            String unused = join();
        }
        List<ReplicaPlan.Ranges> before = new ArrayList<>();
        for (int table = 0; table < TABLES; table++) {
            before.add(skewed(table));
        }
        Map<String, Long> bytes = Rebalance.bytes(up, before, List.of());
        long share = bytes.values().stream().mapToLong(Long::longValue).sum() / up.size();
        long least = bytes.values().stream()
                .mapToLong(each -> Math.max(0, share - each))
                .sum();
        long whole = gap(Rebalance.bytes(up, before, Rebalance.plan(up, before)));
        long start = System.nanoTime();
        Map<String, Map<Integer, Integer>> splits = RangeSplits.plan(up, before, 0);
        List<ReplicaPlan.Ranges> then = new ArrayList<>();
        long added = 0;
        long largest = 0;
        for (ReplicaPlan.Ranges table : before) {
            Map<Integer, List<byte[]>> cuts = new HashMap<>();
            splits.getOrDefault(table.name(), Map.of())
                    .forEach((range, parts) ->
                            cuts.put(range, inside(table.directory().span(range), parts)));
            ReplicaPlan.Ranges split = RangeSplits.split(table, cuts);
            assertTrue(split.directory().refines(table.directory()), () -> what() + table.name());
            added += split.directory().ranges().size()
                    - table.directory().ranges().size();
            largest = Math.max(largest, Collections.max(split.bytes()));
            assertTrue(split.directory().ranges().size() <= RangeSplits.MOST_RANGES, () -> what() + table.name());
            then.add(split);
        }
        // A split changes no node's bytes, except that sizes of parts are rounded.
        Rebalance.bytes(up, then, List.of())
                .forEach((node, now) ->
                        assertTrue(Math.abs(now - bytes.getOrDefault(node, 0L)) <= (1L << 20), () -> what() + node));
        List<ReplicaPlan.Copy> plan = Rebalance.plan(up, then);
        long nanos = System.nanoTime() - start;
        Map<String, ReplicaPlan.Ranges> byName =
                then.stream().collect(Collectors.toMap(ReplicaPlan.Ranges::name, table -> table));
        then.forEach(table -> tables.put(table.name(), table.directory()));
        move(plan);
        long movedBytes = plan.stream()
                .mapToLong(copy ->
                        Objects.requireNonNull(byName.get(copy.table())).bytes().get(copy.range()))
                .sum();
        assertLive();
        tables.forEach((name, directory) -> assertEquals(0, directory.missing(), () -> what() + name));
        Map<String, Long> after = Rebalance.bytes(up, then, plan);
        assertTrue(gap(after) <= Math.max(share / Rebalance.TOLERANCE, largest), () -> what() + after);
        assertTrue(gap(after) < whole, () -> what() + "whole ranges: " + whole);
        assertTrue(movedBytes <= least + least / 20 + largest, what() + movedBytes + " moved, at least " + least);
        // Nothing is left to do.
        List<ReplicaPlan.Ranges> moved = then.stream()
                .map(table -> new ReplicaPlan.Ranges(
                        table.name(), tables.getOrDefault(table.name(), table.directory()), table.bytes()))
                .toList();
        assertEquals(Map.of(), RangeSplits.plan(up, moved, 0), what());
        assertEquals(List.of(), Rebalance.plan(up, moved), what());
        System.out.printf(
                Locale.ROOT,
                "splits: seed %d, %d nodes, %d tables, %d ranges more, %d moves planned in %.0f ms, %.2f GB moved,"
                        + " %.2f GB is the least for evenness; between the fullest node and the emptiest %.3f of an"
                        + " even share before, %.3f by moves of whole ranges, %.3f after%n",
                seed,
                up.size(),
                TABLES,
                added,
                plan.size(),
                nanos / 1e6,
                movedBytes / 1e9,
                least / 1e9,
                (double) gap(bytes) / share,
                (double) whole / share,
                (double) gap(after) / share);
    }

    private static long gap(Map<String, Long> bytes) {
        return Collections.max(bytes.values()) - Collections.min(bytes.values());
    }

    private static List<byte[]> inside(KeySpan span, int parts) {
        List<byte[]> cuts = new ArrayList<>();
        for (int i = 1; i < parts; i++) {
            byte[] cut = Arrays.copyOf(span.start(), span.start().length + 2);
            cut[cut.length - 2] = (byte) (i >> 8);
            cut[cut.length - 1] = (byte) i;
            cuts.add(cut);
        }
        return cuts;
    }

    @Test
    void repairConvergesWithTheFewestBytes() {
        for (int i = 0; i < NODES; i++) {
            String unused = join();
        }
        for (int table = 0; table < TABLES; table++) {
            create(table);
        }
        long ranges = tables.values().stream()
                .mapToLong(directory -> directory.ranges().size())
                .sum();
        double evenBefore = fullest();
        long nanos = 0;
        for (int round = 0; round < ROUNDS; round++) {
            int lost = Math.max(1, NODES / LOST_OF);
            lose(lost);
            deaths = lost;
            while (up.size() < NODES) {
                String unused = join();
            }
            minimum += missingBytes();
            int tries = 0;
            while (missingBytes() > 0) {
                assertTrue(++tries <= MOST_PLANS, () -> what() + "not repaired by " + MOST_PLANS + " plans");
                long start = System.nanoTime();
                ReplicaPlan.Plan plan = ReplicaPlan.repair(up, ranges(), null, null);
                nanos += System.nanoTime() - start;
                plans++;
                assertEquals(Map.of(), plan.unrepairable(), what());
                execute(plan);
                assertLive();
            }
        }
        // Each missing replica was copied once, and nothing else: no plan moves fewer bytes.
        assertEquals(minimum, moved, what());
        System.out.printf(
                Locale.ROOT,
                "placement: seed %d, %d nodes, %d ranges, %d replicas, %d rounds: %d plans of %.0f ms, %.1f GB moved,"
                        + " the minimum, and %.1f GB of copies that were broken off; fullest node %.3f of an even"
                        + " share before, %.3f after%n",
                seed,
                NODES,
                ranges,
                REPLICAS,
                ROUNDS,
                plans,
                nanos / 1e6 / plans,
                moved / 1e9,
                wasted / 1e9,
                evenBefore,
                fullest());
    }
}
