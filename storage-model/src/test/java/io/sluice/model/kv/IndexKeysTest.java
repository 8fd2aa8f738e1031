package io.sluice.model.kv;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.model.row.Row;
import io.sluice.model.schema.Table;
import java.io.IOException;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** Spans and prefixes of indexes, mainly of interleaved tables. */
final class IndexKeysTest {
    private static final HexFormat HEX = HexFormat.of();

    @Test
    void spansOfNonInterleavedIndex() throws IOException {
        IndexKeys keys = new IndexKeys(VectorTables.get("accounts"));
        assertEquals("[bb89, bb8a)", keys.span(0).toString());
        assertEquals("[bb8b, bb8c)", keys.span(2).toString());
    }

    @Test
    void interleavedIndexHasSpanOfOutermostAncestor() throws IOException {
        assertEquals(
                "[bb89, bb8a)",
                new IndexKeys(VectorTables.get("owner_accounts")).span(0).toString());
        IndexKeys grandchild = new IndexKeys(VectorTables.get("g300"));
        assertEquals("[be89, be8a)", grandchild.span(0).toString());
        assertEquals("[f7012c8a, f7012c8b)", grandchild.span(1).toString());
    }

    @Test
    void prefixesGrowColumnByColumn() throws IOException {
        IndexKeys keys = new IndexKeys(VectorTables.get("g300"));
        Row row = new Row(4);
        assertEquals("be89", HEX.formatHex(keys.prefix(0, row, 0)));
        row.setLong(1, 1);
        assertEquals("be8989fed189", HEX.formatHex(keys.prefix(0, row, 1)));
        row.setLong(2, 2);
        assertEquals("be8989fed1898afef7012c89", HEX.formatHex(keys.prefix(0, row, 2)));
        row.setDecimal(0, 30, -1);
        assertEquals("be8989fed1898afef7012c8924f900", HEX.formatHex(keys.prefix(0, row, 3)));
        assertEquals("be8989fed1898afef7012c8924f90088", HEX.formatHex(keys.primaryKey(row)));
    }

    @Test
    void parentPrefixContainsChildren() throws IOException {
        Table owners = VectorTables.get("owners");
        Row owner = new Row(2);
        owner.setLong(0, 19);
        byte[] prefix = new IndexKeys(owners).prefix(0, owner, 1);
        assertEquals("bb899b", HEX.formatHex(prefix));
        assertTrue(KeySpan.ofPrefix(prefix).contains(HEX.parseHex("bb899bfebc89db88")));
    }

    @Test
    void distinguishesOwnKeysInTheSameTree() throws IOException {
        byte[] owner = HEX.parseHex("bb899b88");
        byte[] account = HEX.parseHex("bb899bfebc89db88");
        byte[] belowAccount = HEX.parseHex("bb899bfebc89dbfebd898988");
        byte[] sibling = HEX.parseHex("bb899bfebd89db88");
        RowDecoder owners = new RowDecoder(VectorTables.get("owners"));
        RowDecoder accounts = new RowDecoder(VectorTables.get("owner_accounts"));
        assertTrue(owners.owns(0, owner));
        assertFalse(owners.owns(0, account));
        assertFalse(owners.owns(0, belowAccount));
        assertFalse(accounts.owns(0, owner));
        assertTrue(accounts.owns(0, account));
        assertFalse(accounts.owns(0, belowAccount));
        assertFalse(accounts.owns(0, sibling));
        assertThrows(CorruptKvException.class, () -> accounts.owns(0, HEX.parseHex("bb899bfebc89db")));
    }

    @Test
    void primaryKeyHasNoNull() throws IOException {
        IndexKeys keys = new IndexKeys(VectorTables.get("accounts"));
        assertThrows(IllegalArgumentException.class, () -> keys.primaryKey(new Row(3)));
    }
}
