package io.sluice.model.kv;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.model.row.Row;
import io.sluice.model.schema.Index;
import io.sluice.model.schema.Index.Ancestor;
import io.sluice.model.schema.Table;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.zip.CRC32;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The checksum of rows equals its definition, and is independent of the ids of their table and its ancestors. */
final class IndexDigestTest {
    private static final int ROWS = 20;
    /** Ids whose encodings take one to four bytes. */
    private static final int[] IDS = {7, 110, 300, 70_000};

    private static Table renumbered(Table table, int id) {
        List<Index> indexes = table.indexes().stream()
                .map(index -> new Index(
                        index.def(),
                        index.ancestors().stream()
                                .map(above -> new Ancestor(
                                        above.tableId() / 1000 + 3 * id, above.indexId(), above.sharedColumns()))
                                .toList()))
                .toList();
        return new Table(id, table.def(), indexes);
    }

    private static List<KvChecksum> sums(Table table, long rows) {
        List<IndexDigest> digests = IndexDigest.ofAll(table);
        return IndexEncoder.ofAll(table).stream()
                .map(index -> {
                    KvChecksum.Accumulator trusting = new KvChecksum.Accumulator(digests.get(index.ordinal()));
                    KvChecksum.Accumulator checking = new KvChecksum.Accumulator(digests.get(index.ordinal()));
                    SplittableRandom random = new SplittableRandom(rows);
                    Row row = new Row(table.def().columns().size());
                    for (int i = 0; i < ROWS; i++) {
                        RandomDatums.fill(table, row, random);
                        EncodedKv kv = EncodedKv.of(index, row);
                        trusting.add(kv.key(), kv.value());
                        assertTrue(checking.addIntact(kv.key(), kv.value()));
                    }
                    assertEquals(trusting.sum(), checking.sum());
                    return trusting.sum();
                })
                .toList();
    }

    @RepeatedTest(40)
    void digestIsIndependentOfIds(RepetitionInfo repetition) {
        long seed = repetition.getCurrentRepetition();
        Table table = RandomTables.table(new SplittableRandom(seed));
        List<String> digests =
                sums(table, seed).stream().map(KvChecksum::digest).toList();
        for (int id : IDS) {
            List<String> others = sums(renumbered(table, id), seed).stream()
                    .map(KvChecksum::digest)
                    .toList();
            assertEquals(digests, others, "seed " + seed + ", id " + id);
        }
        assertNotEquals(
                digests, sums(table, -seed).stream().map(KvChecksum::digest).toList(), "seed " + seed + ", other rows");
    }

    @ParameterizedTest
    @ValueSource(ints = {5, 6, 70, 5_000, 65_530, 65_540, 300_000})
    void hashIsTheMixedCrcWithoutIds(int valueLength) throws IOException {
        IndexDigest digest = IndexDigest.of(VectorTables.get("accounts"), 0);
        byte[] kv = new byte[4 + valueLength];
        new SplittableRandom(valueLength).nextBytes(kv);
        System.arraycopy(new byte[] {(byte) 0xbb, (byte) 0x89, (byte) 0x89, (byte) 0x88}, 0, kv, 0, 4);
        KvCrc.put(new CRC32(), kv, 0, 4, kv.length);
        assertEquals(expected(kv, 2, 4), sum(digest, kv, 4));
        // Once more, with a grown table of shifts.
        assertEquals(expected(kv, 2, 4), sum(digest, kv, 4));
    }

    /** Computes the hash over the key after its ids, and over the value after its CRC. */
    private static long expected(byte[] kv, int ids, int keyLength) {
        CRC32 crc = new CRC32();
        crc.update(kv, ids, keyLength - ids);
        crc.update(kv, keyLength + 4, kv.length - keyLength - 4);
        long z = crc.getValue() + 0x9e3779b97f4a7c15L;
        z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }

    private static long sum(IndexDigest digest, byte[] kv, int keyLength) {
        KvChecksum.Accumulator sum = new KvChecksum.Accumulator(digest);
        sum.add(kv, 0, keyLength, kv.length - keyLength);
        return sum.sum().crcSum();
    }

    /** A CRC of 0 is stored as 1; only the bytes distinguish it from a CRC of 1. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void ambiguousStoredCrcIsRecomputed(int crc) throws IOException {
        IndexDigest digest = IndexDigest.of(VectorTables.get("accounts"), 0);
        byte[] kv = new byte[13];
        System.arraycopy(new byte[] {(byte) 0xbb, (byte) 0x89, (byte) 0x89, (byte) 0x88}, 0, kv, 0, 4);
        force(kv, crc);
        KvCrc.put(new CRC32(), kv, 0, 4, kv.length);
        assertEquals(1, KvCrc.read(kv, 4));
        assertEquals(expected(kv, 2, 4), sum(digest, kv, 4));
        byte[] key = Arrays.copyOf(kv, 4);
        byte[] start = Arrays.copyOfRange(kv, 4, 8);
        assertFalse(new KvChecksum.Accumulator(digest).addByStart(key, 4, start, 9));
    }

    /** Sets the last four bytes so that key and body have that CRC, by running the CRC backwards. */
    private static void force(byte[] kv, int wanted) {
        CRC32 crc = new CRC32();
        crc.update(kv, 0, 4);
        crc.update(kv, 8, kv.length - 12);
        int before = ~(int) crc.getValue();
        int after = ~wanted;
        for (int i = 0; i < 32; i++) {
            after = after < 0 ? (after ^ 0xedb88320) << 1 | 1 : after << 1;
        }
        int patch = after ^ before;
        for (int i = 0; i < 4; i++) {
            kv[kv.length - 4 + i] = (byte) (patch >>> (8 * i));
        }
    }

    @Test
    void damagedKvIsNotAdded() throws IOException {
        Table table = VectorTables.get("accounts");
        KvChecksum.Accumulator sum = new KvChecksum.Accumulator(IndexDigest.of(table, 0));
        byte[] kv = new byte[20];
        System.arraycopy(new byte[] {(byte) 0xbb, (byte) 0x89, (byte) 0x89, (byte) 0x88}, 0, kv, 0, 4);
        KvCrc.put(new CRC32(), kv, 0, 4, kv.length);
        for (int i = 0; i < kv.length; i++) {
            byte[] changed = kv.clone();
            changed[i] ^= 0x10;
            assertFalse(sum.addIntact(changed, 0, 4, 16), "byte " + i);
        }
        assertFalse(sum.addIntact(kv, 0, 4, 3), "a value without a checksum");
        assertEquals(KvChecksum.EMPTY, sum.sum());
        assertTrue(sum.addIntact(kv, 0, 4, 16));
        assertEquals(1, sum.count());
        assertEquals(20, sum.bytes());
    }
}
