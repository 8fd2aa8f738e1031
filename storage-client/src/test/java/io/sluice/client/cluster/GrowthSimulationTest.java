package io.sluice.client.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.RangeDirectory;
import io.sluice.model.kv.KeySpan;
import java.nio.ByteBuffer;
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
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * All planners together on a model of a cluster whose tables grow unevenly: {@link ReplicaPlan}, {@link RangeSplits}
 * and {@link Rebalance}, in the order in which the commands run them. Each round of the model:
 *
 * <ol>
 *   <li>tables grow, a few of them most; half of the growth of each goes to a hundredth of its ranges, its last ones or
 *       any;
 *   <li>nodes are lost and removed, and as many or more join;
 *   <li>missing replicas are copied; then ranges are split, and replicas moved, until no planner plans anything.
 *       Meanwhile sources and targets of copies die: the places of that table stay as they were.
 * </ol>
 *
 * <p>Parts of a split differ from their estimated size by up to a quarter. In every second round the limit of ranges is
 * given, in the others only ranges are split that whole ones do not even.
 *
 * <p>The minimum of a round is computed when it is over, from the bytes of nodes before it. Nodes are even if they
 * differ by a twentieth of a share, so all have between x and x + share/20 bytes. Whatever the plans were, nodes had to
 * get what they were short of x, and they had to get the missing replicas and what others had over x + share/20. The
 * larger of the two is the minimum for x, and the least of these for any x is the minimum.
 *
 * <p>The suite takes a small cluster; {@code -Dsluice.placement.nodes=1000 -Dsluice.placement.tables=250} has more than
 * a million ranges. {@code .ci/nightly placement} runs that.
 */
class GrowthSimulationTest {
    private static final int NODES = Integer.getInteger("sluice.placement.nodes", 60);
    private static final int TABLES = 4 * Integer.getInteger("sluice.placement.tables", 20);
    private static final int ROUNDS = Integer.getInteger("sluice.placement.rounds", 5);
    private static final int REPLICAS = 3;
    private static final long MOST_RANGE_BYTES = 64L << 20;
    /** A table is imported into one of so many nodes: with 250 of them it has 1,002 ranges, and room for as many. */
    private static final int NODES_OF_TABLE = 4;
    /** The tables grow by one of so many bytes in a round. */
    private static final int GROWTH = 5;
    /** One of so many ranges of a table gets half of its growth. */
    private static final int HOT = 100;
    /** One of so many nodes is lost in a round, and at least one. */
    private static final int LOST_OF = 100;
    /** One of so many copies of a table meets the death of a node, in a round as many nodes as were lost before. */
    private static final int DEATH_OF = 20;
    /** Repairs, splits and moves in a round until there is nothing to do. */
    private static final int MOST_PASSES = 10;

    /** At most one of so many bytes is written beyond the minimum. */
    private static final int MOST_EXTRA_OF = 5;

    /** So many intervals of x, the bytes of the emptiest node, are tried for the minimum. */
    private static final int STEPS = 100;

    private static final long HIGHEST_BIT = 1L << 36;

    private final long seed = Long.getLong("sluice.seed", System.nanoTime());

    /** A cluster with its history. */
    private static final class Model {
        final long seed;
        final int nodes;
        final Random random;
        final Set<String> up = new TreeSet<>();
        final Map<String, ReplicaPlan.Ranges> tables = new LinkedHashMap<>();
        /** The share of each table in the growth. */
        final Map<String, Double> weights = new HashMap<>();

        int named;
        int deaths;
        long copied;
        long moved;
        long minimum;
        long missed;
        int added;
        int plans;
        long nanos;
        long longestNanos;
        int mostPasses;

        Model(long seed, int nodes, int count) {
            this.seed = seed;
            this.nodes = nodes;
            random = new Random(seed);
            join(nodes);
            List<Integer> ranks = new ArrayList<>();
            double sum = 0;
            for (int i = 1; i <= count; i++) {
                ranks.add(i);
                sum += 1.0 / i;
            }
            Collections.shuffle(ranks, random);
            for (int table = 0; table < count; table++) {
                create("t" + table, table);
                weights.put("t" + table, 1.0 / ranks.get(table) / sum);
            }
        }

        void join(int count) {
            for (int i = 0; i < count; i++) {
                up.add(String.format(Locale.ROOT, "n%05d", named++));
            }
        }

        private static byte[] key(long number) {
            return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
        }

        private static long number(byte[] key) {
            return ByteBuffer.wrap(Arrays.copyOf(key, Long.BYTES)).getLong();
        }

        private void create(String name, int number) {
            List<String> ids = new ArrayList<>(up);
            Collections.rotate(ids, -number % ids.size());
            ids = ids.subList(0, Math.max(REPLICAS, ids.size() / NODES_OF_TABLE));
            List<byte[]> cuts = new ArrayList<>();
            for (int i = 1; i < 10 * ids.size(); i++) {
                cuts.add(key((10L << 56) + i * HIGHEST_BIT));
            }
            RangeDirectory directory = new Division(ids, REPLICAS)
                    .split(RangeDirectory.SINGLE_NODE, KeySpan.ofPrefix(new byte[] {10}), cuts);
            List<Long> bytes = new ArrayList<>(
                    Collections.nCopies(directory.ranges().size(), 1L + random.nextInt((int) MOST_RANGE_BYTES)));
            // There are no rows before the index and after it.
            bytes.set(0, 0L);
            bytes.set(bytes.size() - 1, 0L);
            tables.put(name, new ReplicaPlan.Ranges(name, directory, bytes));
        }

        ReplicaPlan.Ranges table(String name) {
            return Objects.requireNonNull(tables.get(name));
        }

        List<ReplicaPlan.Ranges> list() {
            return List.copyOf(tables.values());
        }

        void place(String name, RangeDirectory directory) {
            tables.put(name, new ReplicaPlan.Ranges(name, directory, table(name).bytes()));
        }

        String what() {
            return "seed " + seed + ": ";
        }

        void grow() {
            long total = tables.values().stream().mapToLong(Model::sum).sum();
            tables.replaceAll((name, table) -> {
                double growth = (double) total / GROWTH * weights.getOrDefault(name, 0.0);
                double scale = 1 + growth / 2 / Math.max(1, sum(table));
                List<Long> bytes = new ArrayList<>();
                table.bytes().forEach(size -> bytes.add((long) (size * scale)));
                int ranges = bytes.size() - 2;
                int hot = Math.max(1, ranges / HOT);
                int first = 1 + (random.nextInt(3) == 0 ? ranges - hot : random.nextInt(ranges - hot + 1));
                for (int i = first; i < first + hot; i++) {
                    bytes.set(i, bytes.get(i) + (long) (growth / 2 / hot));
                }
                return new ReplicaPlan.Ranges(name, table.directory(), bytes);
            });
        }

        static long sum(ReplicaPlan.Ranges table) {
            return table.bytes().stream().mapToLong(Long::longValue).sum();
        }

        /** The bytes of the replicas that ranges lack. */
        long missing() {
            long missing = 0;
            for (ReplicaPlan.Ranges table : tables.values()) {
                for (int i = 0; i < table.bytes().size(); i++) {
                    missing += table.bytes().get(i)
                            * (REPLICAS
                                    - table.directory().ranges().get(i).nodes().size());
                }
            }
            return missing;
        }

        boolean repaired() {
            return tables.values().stream().allMatch(table -> table.directory().missing() == 0);
        }

        Map<String, Long> bytes() {
            return Rebalance.bytes(up, list(), List.of());
        }

        /** A node is lost and removed, as long as each range keeps a replica: 'cluster remove' refuses the others. */
        boolean lose(String node) {
            Map<String, RangeDirectory> after = new HashMap<>();
            for (ReplicaPlan.Ranges table : tables.values()) {
                if (table.directory().nodes().contains(node)) {
                    RangeDirectory without = table.directory().without(node);
                    if (without.ranges().stream()
                            .anyMatch(range -> range.nodes().isEmpty())) {
                        return false;
                    }
                    after.put(table.name(), without);
                }
            }
            long before = missing();
            up.remove(node);
            after.forEach(this::place);
            missed += missing() - before;
            return true;
        }

        /** Executes a plan table by table; a table whose copies meet the death of a node keeps its places. */
        long execute(List<ReplicaPlan.Copy> plan) {
            Map<String, List<ReplicaPlan.Copy>> byTable = plan.stream()
                    .collect(Collectors.groupingBy(ReplicaPlan.Copy::table, TreeMap::new, Collectors.toList()));
            List<String> order = new ArrayList<>(byTable.keySet());
            Collections.shuffle(order, random);
            long done = 0;
            for (String name : order) {
                List<ReplicaPlan.Copy> copies = byTable.getOrDefault(name, List.of());
                if (deaths > 0 && random.nextInt(DEATH_OF) == 0) {
                    ReplicaPlan.Copy broken = copies.get(random.nextInt(copies.size()));
                    if (lose(random.nextBoolean() ? broken.source() : broken.target())) {
                        deaths--;
                    }
                }
                RangeDirectory directory = table(name).directory();
                boolean possible = copies.stream()
                        .allMatch(copy -> up.contains(copy.source())
                                && up.contains(copy.target())
                                && (copy.leaving() == null || up.contains(copy.leaving())));
                if (possible) {
                    for (ReplicaPlan.Copy copy : copies) {
                        done += table(name).bytes().get(copy.range());
                        directory = after(directory, copy);
                    }
                    place(name, directory);
                    assertLive(name);
                }
            }
            return done;
        }

        private RangeDirectory after(RangeDirectory directory, ReplicaPlan.Copy copy) {
            List<String> holders = directory.ranges().get(copy.range()).nodes();
            String leaving = copy.leaving();
            assertTrue(holders.contains(copy.source()), () -> what() + copy);
            assertFalse(holders.contains(copy.target()), () -> what() + copy);
            assertTrue(leaving == null || holders.contains(leaving), () -> what() + copy);
            return leaving == null
                    ? directory.with(copy.range(), copy.target(), "")
                    : directory.replacing(copy.range(), leaving, copy.target(), "");
        }

        private void assertLive(String name) {
            for (RangeDirectory.Range range : table(name).directory().ranges()) {
                assertTrue(
                        range.nodes().stream().anyMatch(up::contains),
                        () -> what() + "no replica of " + name + " is left: " + range.nodes());
                assertEquals(
                        range.nodes().size(),
                        new HashSet<>(range.nodes()).size(),
                        () -> what() + "a node has it twice");
            }
        }

        /** Splits ranges at keys that a node would find: the parts are of about equal size. */
        void split(Map<String, Map<Integer, Integer>> splits) {
            splits.forEach((name, parts) -> {
                ReplicaPlan.Ranges table = table(name);
                Map<Integer, List<byte[]>> cuts = new HashMap<>();
                parts.forEach((range, count) ->
                        cuts.put(range, inside(table.directory().span(range), count)));
                ReplicaPlan.Ranges even = RangeSplits.split(table, cuts);
                assertTrue(even.directory().refines(table.directory()), () -> what() + name);
                assertTrue(even.directory().ranges().size() <= RangeSplits.MOST_RANGES, () -> what() + name);
                List<Long> bytes = new ArrayList<>();
                for (int range = 0; range < table.bytes().size(); range++) {
                    addParts(
                            bytes,
                            table.bytes().get(range),
                            1 + cuts.getOrDefault(range, List.of()).size());
                }
                added += bytes.size() - table.bytes().size();
                tables.put(name, new ReplicaPlan.Ranges(name, even.directory(), bytes));
            });
        }

        private void addParts(List<Long> bytes, long all, int parts) {
            double[] borders = new double[parts + 1];
            for (int i = 1; i < parts; i++) {
                borders[i] = (i + (random.nextDouble() - 0.5) / 4) / parts;
            }
            borders[parts] = 1;
            for (int i = 0; i < parts; i++) {
                bytes.add((long) (all * borders[i + 1]) - (long) (all * borders[i]));
            }
        }

        private static List<byte[]> inside(KeySpan span, int parts) {
            long start = number(span.start());
            long keys = number(span.end()) - start;
            assertTrue(keys > parts, "the model has too few keys");
            List<byte[]> cuts = new ArrayList<>();
            for (int i = 1; i < parts; i++) {
                cuts.add(key(start + keys / parts * i));
            }
            return cuts;
        }

        private <T> T timed(Supplier<T> plan) {
            long start = System.nanoTime();
            T planned = plan.get();
            long took = System.nanoTime() - start;
            plans++;
            nanos += took;
            longestNanos = Math.max(longestNanos, took);
            return planned;
        }

        private void repair() {
            for (int tries = 0; !repaired(); tries++) {
                assertTrue(tries < MOST_PASSES, () -> what() + "not repaired by " + MOST_PASSES + " plans");
                ReplicaPlan.Plan plan = timed(() -> ReplicaPlan.repair(up, list(), null, null));
                assertEquals(Map.of(), plan.unrepairable(), what());
                copied += execute(plan.copies());
            }
        }

        /** Some rounds of growth and losses. */
        void run(int rounds) {
            for (int round = 0; round < rounds; round++) {
                grow();
                int lost = Math.max(1, nodes / LOST_OF);
                Map<String, Long> before = bytes();
                missed = 0;
                for (int i = 0; i < lost; i++) {
                    boolean unused = lose(List.copyOf(up).get(random.nextInt(up.size())));
                }
                join(nodes - up.size() + (round % 2 == 0 ? lost : 0));
                deaths = lost;
                long limit = round % 2 == 0 ? MOST_RANGE_BYTES : 0;
                int passes = settle(limit);
                mostPasses = Math.max(mostPasses, passes);
                assertSettled(limit);
                minimum += least(before);
            }
        }

        private long largest() {
            return tables.values().stream()
                    .mapToLong(table -> Collections.max(table.bytes()))
                    .max()
                    .orElse(0);
        }

        private int settle(long limit) {
            for (int pass = 1; ; pass++) {
                int now = pass;
                assertTrue(pass <= MOST_PASSES, () -> what() + "not even after " + now + " passes");
                repair();
                Map<String, Map<Integer, Integer>> splits = timed(() -> RangeSplits.plan(up, list(), limit));
                split(splits);
                List<ReplicaPlan.Copy> plan = timed(() -> Rebalance.plan(up, list()));
                if (splits.isEmpty() && plan.isEmpty()) {
                    return pass;
                }
                moved += execute(plan);
            }
        }

        /**
         * The fewest bytes that any plans could have written in a round.
         *
         * @param before bytes of the nodes before it, with its growth
         */
        private long least(Map<String, Long> before) {
            long share = share();
            long step = share / Rebalance.TOLERANCE / STEPS;
            long least = Long.MAX_VALUE;
            for (int i = 0; i < STEPS; i++) {
                long fewest = share - (STEPS - i) * step;
                long most = fewest + step + share / Rebalance.TOLERANCE;
                long needed = 0;
                long leaving = 0;
                for (String node : up) {
                    long bytes = before.getOrDefault(node, 0L);
                    needed += Math.max(0, fewest - bytes);
                    leaving += Math.max(0, bytes - most);
                }
                least = Math.min(least, Math.max(needed, missed + leaving));
            }
            return least;
        }

        private long share() {
            return bytes().values().stream().mapToLong(Long::longValue).sum() / up.size();
        }

        private void assertSettled(long limit) {
            tables.keySet().forEach(this::assertLive);
            assertEquals(0, missing(), what());
            Map<String, Long> bytes = bytes();
            for (ReplicaPlan.Ranges table : tables.values()) {
                long most = Collections.max(table.bytes());
                assertTrue(
                        limit == 0 || most <= limit || table.bytes().size() == RangeSplits.MOST_RANGES,
                        () -> what() + table.name() + " has a range of " + most + " bytes");
            }
            long gap = Collections.max(bytes.values()) - Collections.min(bytes.values());
            assertTrue(gap <= Math.max(share() / Rebalance.TOLERANCE, largest()), () -> what() + bytes);
        }

        int ranges() {
            return tables.values().stream()
                    .mapToInt(table -> table.bytes().size())
                    .sum();
        }
    }

    /** Two runs with one seed plan the same. */
    @Test
    void plansDependOnTheirInputAlone() {
        Model one = new Model(seed, 12, 8);
        Model other = new Model(seed, 12, 8);
        one.run(3);
        other.run(3);
        assertEquals(one.tables, other.tables, one.what());
        assertEquals(one.up, other.up, one.what());
        assertTrue(one.moved > 0 && one.copied > 0, one.what());
        one.grow();
        List<String> shuffled = new ArrayList<>(one.up);
        Collections.shuffle(shuffled, new Random(seed));
        assertEquals(Rebalance.plan(one.up, one.list()), Rebalance.plan(shuffled, one.list()), one.what());
        assertEquals(RangeSplits.plan(one.up, one.list(), 1 << 20), RangeSplits.plan(shuffled, one.list(), 1 << 20));
        assertTrue(one.lose(one.up.iterator().next()), one.what());
        shuffled.retainAll(one.up);
        assertEquals(
                ReplicaPlan.repair(one.up, one.list(), null, null),
                ReplicaPlan.repair(shuffled, one.list(), null, null),
                one.what());
    }

    /** A node that does not answer may have the only good copy: ranges on it stay as they are; the others are split. */
    @Test
    void rangesOfSilentNodesStay() {
        Model model = new Model(seed, 40, 20);
        model.run(1);
        model.grow();
        model.join(2);
        String silent = List.copyOf(model.up).get(new Random(seed).nextInt(40));
        Set<String> up = new TreeSet<>(model.up);
        up.remove(silent);
        List<ReplicaPlan.Copy> plan = Rebalance.plan(up, model.list());
        assertFalse(plan.isEmpty(), model.what());
        for (ReplicaPlan.Copy copy : plan) {
            List<String> holders = model.table(copy.table())
                    .directory()
                    .ranges()
                    .get(copy.range())
                    .nodes();
            assertFalse(holders.contains(silent) || copy.target().equals(silent), () -> model.what() + copy);
        }
        Map<String, Map<Integer, Integer>> split = RangeSplits.plan(up, model.list(), 1 << 20);
        int beside = 0;
        for (ReplicaPlan.Ranges table : model.list()) {
            Set<Integer> wanted = new TreeSet<>();
            for (int range = 0; range < table.bytes().size(); range++) {
                boolean whole = table.directory().ranges().get(range).nodes().contains(silent);
                if (!whole && table.bytes().get(range) > 1 << 20) {
                    wanted.add(range);
                    beside += table.directory().nodes().contains(silent) ? 1 : 0;
                }
            }
            Set<Integer> found = split.getOrDefault(table.name(), Map.of()).keySet();
            assertTrue(wanted.containsAll(found), () -> model.what() + table.name());
            boolean room = table.bytes().size() + wanted.size() <= RangeSplits.MOST_RANGES;
            assertTrue(!room || found.equals(wanted), () -> model.what() + table.name());
        }
        assertTrue(beside > 0, model.what());
        assertEquals(List.of(), ReplicaPlan.repair(up, model.list(), null, null).copies(), model.what());
    }

    @Test
    void growingTablesStayEvenWithFewBytes() {
        Model model = new Model(seed, NODES, TABLES);
        int before = model.ranges();
        model.run(ROUNDS);
        long written = model.copied + model.moved;
        assertTrue(
                written <= model.minimum + model.minimum / MOST_EXTRA_OF,
                () -> model.what() + written + " bytes written, at least " + model.minimum);
        System.out.printf(
                Locale.ROOT,
                "growth: seed %d, %d nodes, %d tables, %d ranges, %d in the end, %d rounds: at most %d passes a round,"
                        + " %d plans of %.0f ms, the longest %.0f ms; %.2f GB copied, %.2f GB moved, together %.3f of"
                        + " the minimum%n",
                seed,
                NODES,
                TABLES,
                before,
                model.ranges(),
                ROUNDS,
                model.mostPasses,
                model.plans,
                model.nanos / 1e6 / model.plans,
                model.longestNanos / 1e6,
                model.copied / 1e9,
                model.moved / 1e9,
                (double) written / model.minimum);
    }
}
