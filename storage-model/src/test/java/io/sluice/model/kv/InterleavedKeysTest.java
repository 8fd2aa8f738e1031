package io.sluice.model.kv;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.model.schema.Table;
import java.io.IOException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Finds the table of a key in a hierarchy, and the ends of its levels. */
final class InterleavedKeysTest {
    private static final HexFormat HEX = HexFormat.of();

    private final int[] ends = new int[2];

    private static InterleavedKeys keys() throws IOException {
        return new InterleavedKeys(List.of(VectorTables.get("owners"), VectorTables.get("owner_accounts")));
    }

    /** Finds the table of a key in a longer buffer, as cursors lend it. */
    private int tableOf(String hex) throws IOException {
        byte[] key = HEX.parseHex(hex);
        return keys().tableOf(Arrays.copyOf(key, key.length + 3), key.length, ends);
    }

    @Test
    void findsTheEndOfEveryLevel() throws IOException {
        assertEquals(2, keys().depth());
        assertEquals(0, tableOf("bb899b88"));
        assertEquals(3, ends[0]);
        assertEquals(1, tableOf("bb899bfebc89db88"));
        assertEquals(3, ends[0]);
        assertEquals(7, ends[1]);
    }

    @Test
    void keysOfOtherTablesAreForeign() throws IOException {
        assertEquals(InterleavedKeys.FOREIGN, tableOf("bb8b9b88"), "another index");
        assertEquals(InterleavedKeys.FOREIGN, tableOf("bc899b88"), "another table");
        assertEquals(InterleavedKeys.FOREIGN, tableOf("bb899bfebd89db88"), "another table inside an owner");
        assertEquals(InterleavedKeys.FOREIGN, tableOf("bb899bfebc89dbfebd898988"), "a table inside an account");
    }

    @Test
    void truncatedKeyIsCorrupt() {
        assertThrows(CorruptKvException.class, () -> tableOf("bb899b"));
        assertThrows(CorruptKvException.class, () -> tableOf("bb899b8800"));
        assertThrows(CorruptKvException.class, () -> tableOf("bb899bfebc89db"));
        assertThrows(CorruptKvException.class, () -> tableOf("bb899bfebc89db89"));
    }

    @Test
    void outermostTableComesFirst() throws IOException {
        Table owners = VectorTables.get("owners");
        Table accounts = VectorTables.get("owner_accounts");
        assertThrows(IllegalArgumentException.class, () -> new InterleavedKeys(List.of(accounts, owners)));
        assertThrows(IllegalArgumentException.class, () -> new InterleavedKeys(List.of(accounts)));
        assertEquals(1, new InterleavedKeys(List.of(owners)).depth());
    }
}
