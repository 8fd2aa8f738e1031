package io.sluice.importer.sort;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;

/** KVs for tests: made from a seed, sorted by a plain sort, and read back as text. */
final class Kvs {
    private Kvs() {}

    /** One KV; the value begins with four bytes that stand for its CRC. */
    @SuppressWarnings("ArrayRecordComponent")
    record Kv(byte[] key, byte[] value) {
        String text() {
            return HexFormat.of().formatHex(key) + "=" + HexFormat.of().formatHex(value);
        }
    }

    /** The shape of keys. */
    enum Keys {
        /** Eight random bytes: all different in the first word. */
        NUMBERS {
            @Override
            byte[] key(Random random) {
                byte[] key = new byte[8];
                random.nextBytes(key);
                return key;
            }
        },
        /** Few values: many equal keys. */
        FEW {
            @Override
            byte[] key(Random random) {
                return new byte[] {(byte) 0xbd, (byte) 0x89, (byte) random.nextInt(5)};
            }
        },
        /** An index prefix, then text of any length with a terminator. */
        TEXTS {
            @Override
            byte[] key(Random random) {
                return text(new byte[] {(byte) 0xbd, (byte) 0x8a, 0x12}, random.nextInt(20), random);
            }
        },
        /** Forty bytes in common, so that whole words are equal. */
        LONG_PREFIX {
            @Override
            byte[] key(Random random) {
                byte[] prefix = new byte[40];
                Arrays.fill(prefix, (byte) 0xf5);
                return text(prefix, random.nextInt(30), random);
            }
        },
        /** All the same. */
        EQUAL {
            @Override
            byte[] key(Random random) {
                return new byte[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
            }
        },
        /** One or two bytes. */
        TINY {
            @Override
            byte[] key(Random random) {
                int first = random.nextInt(256);
                return first < 128 ? new byte[] {(byte) first} : new byte[] {(byte) first, (byte) random.nextInt(256)};
            }
        },
        /** One of a few bytes and up to nineteen zeros, as plain keys of BYTES may be: many begin as others end. */
        PREFIXES {
            @Override
            byte[] key(Random random) {
                byte[] key = new byte[1 + random.nextInt(20)];
                key[0] = (byte) random.nextInt(3);
                return key;
            }
        };

        abstract byte[] key(Random random);

        /** Bytes 2 to 255 from a small alphabet, ended by a 1, so that none is the beginning of another. */
        private static byte[] text(byte[] prefix, int length, Random random) {
            byte[] key = Arrays.copyOf(prefix, prefix.length + length + 1);
            for (int i = prefix.length; i < key.length - 1; i++) {
                key[i] = (byte) (2 + random.nextInt(3) * 126);
            }
            key[key.length - 1] = 1;
            return key;
        }
    }

    static List<Kv> random(Keys keys, int count, Random random) {
        List<Kv> kvs = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            byte[] value = new byte[4 + random.nextInt(12)];
            random.nextBytes(value);
            kvs.add(new Kv(keys.key(random), value));
        }
        return kvs;
    }

    /** In the order of their keys; those with equal keys as they came. */
    static List<Kv> sorted(List<Kv> kvs) {
        return kvs.stream()
                .sorted((a, b) -> Arrays.compareUnsigned(a.key(), b.key()))
                .toList();
    }

    /** The KVs with keys in {@code [from, to)}. */
    static List<Kv> between(List<Kv> kvs, SpanPlan.Part part) {
        byte[] from = part.from();
        byte[] to = part.to();
        return kvs.stream()
                .filter(kv -> from == null || Arrays.compareUnsigned(kv.key(), from) >= 0)
                .filter(kv -> to == null || Arrays.compareUnsigned(kv.key(), to) < 0)
                .toList();
    }

    static List<String> texts(List<Kv> kvs) {
        return kvs.stream().map(Kv::text).toList();
    }

    /** A buffer with room for all of them, filled in their order. */
    static SortBuffer buffer(List<Kv> kvs) {
        SortBuffer buffer = new SortBuffer(1 << 20, 1 << 20, new Sorter());
        for (Kv kv : kvs) {
            add(buffer, kv);
        }
        return buffer;
    }

    /** Adds one KV the way an encoder does: more room asked for than is used. */
    static void add(SortBuffer buffer, Kv kv) {
        byte[] room = buffer.room(kv.key().length + kv.value().length + 10);
        int position = buffer.position();
        System.arraycopy(kv.key(), 0, room, position, kv.key().length);
        System.arraycopy(kv.value(), 0, room, position + kv.key().length, kv.value().length);
        buffer.added((long) kv.key().length << 32 | kv.value().length);
    }

    static MemoryRun memoryRun(List<Kv> kvs) {
        SortBuffer buffer = buffer(kvs);
        buffer.sort();
        return buffer.seal();
    }

    /** The remaining KVs of a cursor. */
    static List<String> drain(RunCursor cursor) throws IOException {
        Collector collector = new Collector();
        while (cursor.advance()) {
            collector.add(cursor.buffer(), cursor.keyOffset(), cursor.keyLength(), cursor.valueLength());
        }
        return collector.texts();
    }

    /** Keeps copies of all KVs as text. */
    static final class Collector implements KvSink {
        private final List<String> texts = new ArrayList<>();

        @Override
        public void add(byte[] buffer, int keyOffset, int keyLength, int valueLength) {
            int value = keyOffset + keyLength;
            texts.add(new Kv(
                            Arrays.copyOfRange(buffer, keyOffset, value),
                            Arrays.copyOfRange(buffer, value, value + valueLength))
                    .text());
        }

        List<String> texts() {
            return texts;
        }
    }
}
