package io.sluice.importer.sort;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.importer.sort.Kvs.Collector;
import io.sluice.importer.sort.Kvs.Kv;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.kv.IndexDigest;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.Table;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;

/** The first KV of a key goes on, and everything that does not is accounted for. */
class UniqueSinkTest {
    private static final Kv A = kv("a", 1, 1);
    private static final Kv B = kv("b", 2, 2);
    private static final Kv OTHER_B = kv("b", 3, 3);
    private static final Kv LONGER_B = kv("b", 2, 2, 2);
    private static final Kv C = kv("c", 4, 4);

    private final ConflictLog log = new ConflictLog(2, 2, 1 << 20);
    private final Collector target = new Collector();
    private final UniqueSink sink = new UniqueSink(
            target,
            IndexDigest.of(
                    Table.bind(
                            Ddl.parse("CREATE TABLE t (a INT PRIMARY KEY)", "test")
                                    .get(0),
                            1,
                            name -> null),
                    0),
            1,
            log);

    private static Kv kv(String key, int... value) {
        byte[] keyBytes = key.getBytes(java.nio.charset.StandardCharsets.UTF_8);
        ByteBuffer bytes = ByteBuffer.allocate(4 + value.length).position(4);
        for (int each : value) {
            bytes.put((byte) each);
        }
        CRC32 crc = new CRC32();
        crc.update(keyBytes);
        crc.update(bytes.array(), 4, value.length);
        return new Kv(keyBytes, bytes.putInt(0, (int) crc.getValue()).array());
    }

    private void add(Kv... kvs) throws IOException {
        Kvs.buffer(List.of(kvs)).drainTo(sink);
    }

    @Test
    void differentKeysGoOn() throws IOException {
        add(A, B, C);
        assertEquals(Kvs.texts(List.of(A, B, C)), target.texts());
        assertEquals(KvChecksum.EMPTY, sink.finish());
        assertEquals(0, log.conflicts());
    }

    @Test
    void theSameKvAgainIsADuplicate() throws IOException {
        add(A, B, B, B, C);
        assertEquals(Kvs.texts(List.of(A, B, C)), target.texts());
        assertEquals(2, log.duplicates(1));
        assertEquals(0, log.duplicates(0));
        assertEquals(0, log.conflicts());
        assertEquals(2, sink.finish().count());
        assertEquals(2L * (B.key().length + B.value().length), sink.finish().bytes());
    }

    @Test
    void anotherValueOfTheKeyIsAConflictWithTheFirst() throws IOException {
        add(A, B, OTHER_B, LONGER_B, B, C);
        assertEquals(Kvs.texts(List.of(A, B, C)), target.texts());
        assertEquals(2, log.conflicts());
        assertEquals(1, log.duplicates(1));
        ConflictLog.Conflict first = log.first().get(0);
        assertEquals(1, first.index());
        assertArrayEquals(B.key(), first.key());
        assertArrayEquals(B.value(), first.value());
        assertArrayEquals(OTHER_B.value(), first.otherValue());
        assertArrayEquals(LONGER_B.value(), log.first().get(1).otherValue());
        assertEquals(3, sink.finish().count());
    }

    @Test
    void aDamagedRepetitionIsNoConflict() throws IOException {
        byte[] value = B.value().clone();
        value[5] ^= 1;
        add(A, B);
        OperationFailedException failed =
                assertThrows(OperationFailedException.class, () -> add(new Kv(B.key(), value)));
        String message = String.valueOf(failed.getMessage());
        assertTrue(message.contains("table t, index primary: the KV with key 62 does not agree"), message);
        assertEquals(0, log.conflicts());
    }

    @Test
    void onlyTheFirstConflictsAreKeptButAllAreCounted() throws IOException {
        add(A, kv("a", 9), kv("a", 8), kv("a", 7), kv("a", 6));
        assertEquals(4, log.conflicts());
        assertEquals(2, log.first().size());
    }

    @Test
    void longKvsAreRemembered() throws IOException {
        int[] many = new int[5000];
        java.util.Arrays.fill(many, 7);
        Kv wide = kv("w", many);
        add(A, wide, wide, kv("x", 1));
        assertEquals(1, log.duplicates(1));
        assertEquals(3, target.texts().size());
    }

    /** Keys of family 0 end with 88, of family 1 with 8989, of family 2 with 8a89. */
    private static Kv ofFamily(String row, int family, int value) {
        String suffix = family == 0 ? "\u0088" : (char) (0x88 + family) + "\u0089";
        byte[] key = (row + suffix).getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);
        ByteBuffer bytes = ByteBuffer.allocate(5).put(4, (byte) value);
        CRC32 crc = new CRC32();
        crc.update(key);
        crc.update(value);
        return new Kv(key, bytes.putInt(0, (int) crc.getValue()).array());
    }

    private UniqueSink ofFamilies() {
        return new UniqueSink(
                target,
                IndexDigest.of(
                        Table.bind(
                                Ddl.parse(
                                                "CREATE TABLE t (a INT PRIMARY KEY, b INT, c INT, FAMILY (a), FAMILY (b),"
                                                        + " FAMILY (c))",
                                                "test")
                                        .get(0),
                                1,
                                name -> null),
                        0),
                0,
                log);
    }

    @Test
    void entriesOfSeveralKvsAreDuplicatesOrConflictsAsAWhole() throws IOException {
        UniqueSink families = ofFamilies();
        List<Kv> once = List.of(
                ofFamily("a", 0, 1),
                ofFamily("a", 1, 1),
                ofFamily("b", 0, 1),
                ofFamily("b", 2, 1),
                ofFamily("c", 0, 1),
                ofFamily("d", 0, 1),
                ofFamily("d", 1, 1),
                ofFamily("e", 0, 1));
        List<Kv> again = List.of(
                ofFamily("a", 0, 1),
                ofFamily("a", 1, 1),
                // It lacks family 2, so no two of its KVs differ.
                ofFamily("b", 0, 1),
                ofFamily("c", 0, 1),
                // Family 2 in place of family 1.
                ofFamily("d", 0, 1),
                ofFamily("d", 2, 1),
                ofFamily("e", 0, 2));
        List<Kv> all = new ArrayList<>(once);
        all.addAll(again);
        all.sort((left, right) -> Arrays.compareUnsigned(left.key(), right.key()));
        Kvs.buffer(all).drainTo(families);
        assertEquals(5, families.finish().count(), "the entries a to e once more");
        assertEquals(2, log.duplicates(0));
        assertEquals(3, log.conflicts());
        List<String> conflicts = log.first().stream()
                .map(conflict -> new String(conflict.key(), java.nio.charset.StandardCharsets.ISO_8859_1))
                .toList();
        assertEquals(List.of("b\u0088", "d\u0088"), conflicts);
        assertEquals(9, target.texts().size(), "each key once");
    }
}
