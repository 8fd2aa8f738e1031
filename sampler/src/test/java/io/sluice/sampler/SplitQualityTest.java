package io.sluice.sampler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.importer.encode.KvTarget;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** For any distribution of keys and lengths, each part has its share of the bytes within a tenth. */
class SplitQualityTest {
    private static final int KVS = 300_000;
    private static final int[] NODES = {2, 3, 5, 7, 16};

    /** One KV by its key and the length of both. */
    @SuppressWarnings("ArrayRecordComponent")
    private record Kv(byte[] key, int bytes) {}

    /** Distributions of keys and of value lengths. */
    enum Shape {
        UNIFORM {
            @Override
            Kv kv(int n, Random random) {
                return new Kv(key(random.nextLong()), 100);
            }
        },
        ASCENDING {
            @Override
            Kv kv(int n, Random random) {
                return new Kv(key(n), 100);
            }
        },
        SKEWED {
            @Override
            Kv kv(int n, Random random) {
                long skewed = (long) Math.exp(random.nextDouble() * 40) << 16;
                return new Kv(key(skewed | (n & 0xffff)), 60);
            }
        },
        ONE_LONG_PREFIX {
            @Override
            Kv kv(int n, Random random) {
                byte[] key = new byte[120];
                Arrays.fill(key, (byte) 'p');
                ByteBuffer.wrap(key).putLong(112, random.nextLong());
                return new Kv(key, 200);
            }
        },
        LONG_VALUES_AT_ONE_END {
            @Override
            Kv kv(int n, Random random) {
                long at = random.nextLong();
                return new Kv(key(at), at > Long.MAX_VALUE / 10 * 9 ? 4000 : 30);
            }
        },
        ONE_GIANT_RANGE {
            @Override
            Kv kv(int n, Random random) {
                // All but one in a thousand keys are between two adjacent values of the first seven bytes.
                return new Kv(
                        key(
                                random.nextInt(1000) == 0
                                        ? random.nextLong()
                                        : (42L << 32) + random.nextInt(Integer.MAX_VALUE)),
                        90);
            }
        };

        abstract Kv kv(int n, Random random);

        static byte[] key(long number) {
            return ByteBuffer.allocate(9).put((byte) 0x89).putLong(number).array();
        }
    }

    @ParameterizedTest
    @EnumSource(Shape.class)
    void partsHaveEqualShares(Shape shape) {
        long first = Long.getLong("sluice.seed", System.nanoTime());
        for (int run = 1; run <= 3; run++) {
            long seed = first + run;
            Random random = new Random(seed);
            List<Kv> kvs = new ArrayList<>();
            for (int i = 0; i < KVS; i++) {
                kvs.add(shape.kv(i, random));
            }
            if (run > 1) {
                Collections.shuffle(kvs, random);
            }
            List<byte[]> proposed = propose(kvs, seed, run);
            for (int nodes : NODES) {
                checkShares(shape + ", seed " + seed, kvs, proposed, nodes);
            }
        }
    }

    private static List<byte[]> propose(List<Kv> kvs, long seed, int workers) {
        SampledPlanner planner = new SampledPlanner(1, seed);
        List<KvTarget> targets = new ArrayList<>();
        for (int i = 0; i < workers; i++) {
            targets.add(planner.newWorker().get(0));
        }
        for (int i = 0; i < kvs.size(); i++) {
            Kv kv = kvs.get(i);
            KvTarget target = targets.get(i / 1000 % workers);
            byte[] room = target.room(kv.bytes());
            System.arraycopy(kv.key(), 0, room, target.position(), kv.key().length);
            target.added((long) kv.key().length << 32 | (kv.bytes() - kv.key().length));
        }
        return planner.splitKeys(0);
    }

    private static void checkShares(String context, List<Kv> kvs, List<byte[]> proposed, int nodes) {
        List<byte[]> cuts = new ArrayList<>();
        for (int i = 1; i < nodes; i++) {
            cuts.add(proposed.get((int) ((long) i * (proposed.size() + 1) / nodes) - 1));
        }
        long total = 0;
        long[] bytes = new long[nodes];
        for (Kv kv : kvs) {
            int part = 0;
            while (part < cuts.size() && Arrays.compareUnsigned(cuts.get(part), kv.key()) <= 0) {
                part++;
            }
            bytes[part] += kv.bytes();
            total += kv.bytes();
        }
        double share = (double) total / nodes;
        for (int part = 0; part < nodes; part++) {
            double error = bytes[part] / share - 1;
            assertTrue(
                    Math.abs(error) <= 0.10,
                    context + ", part " + part + " of " + nodes + " is off by " + error + ": "
                            + Arrays.toString(bytes));
        }
    }

    @Test
    void emptyInputHasNoSplitKeys() {
        assertEquals(List.of(), propose(List.of(), 1, 2));
        assertEquals(List.of(), new SampledPlanner(1, 1).splitKeys(0), "without workers");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 300})
    void fewerKeysThanPartsGiveAtMostOnePartPerKey(int keys) {
        List<Kv> kvs = new ArrayList<>();
        for (int i = 0; i < 50_000; i++) {
            kvs.add(new Kv(Shape.key(i % keys), 50));
        }
        List<byte[]> splits = propose(kvs, 5, 2);
        assertEquals(keys - 1, splits.size());
        for (int i = 1; i < keys; i++) {
            assertEquals(0, Arrays.compare(Shape.key(i), splits.get(i - 1)));
        }
    }

    @Test
    void dominantKvHasItsOwnPart() {
        List<Kv> kvs = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            kvs.add(new Kv(Shape.key(i), i == 500 ? 3 << 20 : 100));
        }
        List<byte[]> splits = propose(kvs, 6, 1);
        assertTrue(splits.stream().anyMatch(key -> Arrays.equals(key, Shape.key(500))));
    }

    @Test
    void longKeysTakeNoMoreMemory() {
        ByteSample sample = new ByteSample(1 << 16, new java.util.SplittableRandom(3));
        byte[] key = new byte[64 << 10];
        Random random = new Random(3);
        for (int i = 0; i < 2000; i++) {
            random.nextBytes(key);
            sample.offer(key, 0, key.length, 0);
        }
        assertTrue(sample.points() <= 128, sample.points() + " points of 64 KiB");
        TreeMap<byte[], Boolean> distinct = new TreeMap<>(Arrays::compareUnsigned);
        for (byte[] one : sample.sorted()) {
            distinct.put(one, true);
        }
        assertTrue(distinct.size() > 20, distinct.size() + " keys");
    }

    @Test
    void sameSeedGivesSameKeys() {
        Random random = new Random(9);
        List<Kv> kvs = new ArrayList<>();
        for (int i = 0; i < KVS; i++) {
            kvs.add(Shape.UNIFORM.kv(i, random));
        }
        List<byte[]> first = propose(kvs, 9, 1);
        List<byte[]> second = propose(kvs, 9, 1);
        for (int i = 0; i < first.size(); i++) {
            assertEquals(0, Arrays.compare(first.get(i), second.get(i)));
        }
    }
}
