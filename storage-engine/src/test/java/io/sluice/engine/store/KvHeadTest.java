package io.sluice.engine.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.model.kv.KeySpan;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that lent KVs equal copied ones, at all lengths. */
class KvHeadTest {
    private static final KeySpan ALL = KeySpan.ofPrefix(new byte[] {'k'});

    @TempDir
    Path temp = Path.of("");

    /** Lengths of keys below and above the initial buffer, and of values below and above the bytes read of them. */
    private static List<Kv> kvs() {
        List<Kv> kvs = new ArrayList<>();
        int[] keyBytes = {1, 2, 127, 128, 129, 5_000, 3};
        for (int i = 0; i < keyBytes.length; i++) {
            byte[] key = new byte[keyBytes[i] + 1];
            Arrays.fill(key, (byte) ('a' + i));
            key[0] = 'k';
            byte[] value = new byte[i];
            Arrays.fill(value, (byte) i);
            kvs.add(new Kv(key, value));
        }
        return kvs;
    }

    private static void assertSame(Kv expected, KvHead head) {
        assertArrayEquals(expected.key(), Arrays.copyOf(head.key(), head.keyLength()));
        assertEquals(expected.value().length, head.valueLength());
        int known = Math.min(expected.value().length, head.valueStart().length);
        assertArrayEquals(Arrays.copyOf(expected.value(), known), Arrays.copyOf(head.valueStart(), known));
        assertArrayEquals(expected.key(), head.copy().key());
        assertArrayEquals(expected.value(), head.copy().value());
    }

    @Test
    void lentKvEqualsItsCopy() {
        List<Kv> kvs = kvs();
        kvs.forEach(kv -> assertSame(kv, KvHead.of(kv)));
        try (RocksStore store = RocksStore.open(temp.resolve("db"), 8 << 20)) {
            Family family = store.createFamily(FamilyNames.ofTable(1));
            TestKvs.put(store, family, kvs);
            try (FamilyView view = family.view();
                    KvCursor cursor = view.cursor(ALL, ReadPattern.SCAN)) {
                List<Kv> rest = new ArrayList<>(kvs);
                Predicate<KvHead> next = head -> {
                    assertSame(rest.remove(0), head);
                    return true;
                };
                assertTrue(cursor.heads(2, next));
                assertEquals(kvs.size() - 2, rest.size());
                assertFalse(cursor.heads(100, next));
                assertEquals(List.of(), rest);
            }
        }
    }

    @Test
    void visitorStopsBeforeTheNextKv() {
        try (RocksStore store = RocksStore.open(temp.resolve("db"), 8 << 20)) {
            Family family = store.createFamily(FamilyNames.ofTable(1));
            TestKvs.put(store, family, kvs());
            try (FamilyView view = family.view();
                    KvCursor cursor = view.cursor(ALL, ReadPattern.SCAN)) {
                List<Integer> lengths = new ArrayList<>();
                assertFalse(cursor.heads(100, head -> {
                    lengths.add(head.keyLength());
                    return lengths.size() < 3;
                }));
                assertEquals(List.of(2, 3, 128), lengths);
            }
        }
    }
}
