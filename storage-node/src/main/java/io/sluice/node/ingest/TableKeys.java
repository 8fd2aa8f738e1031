package io.sluice.node.ingest;

import io.sluice.model.kv.CorruptKvException;
import io.sluice.model.kv.IndexKeys;
import io.sluice.model.kv.RowDecoder;
import io.sluice.model.schema.Table;

/** Decides which keys belong to which index of a table. Immutable, usable by many threads. */
final class TableKeys {
    private final Table table;
    private final IndexKeys spans;
    private final RowDecoder decoder;

    TableKeys(Table table) {
        this.table = table;
        spans = new IndexKeys(table);
        decoder = new RowDecoder(table);
    }

    /** Whether a key belongs to that index of this table, and not to another table that shares its span. */
    boolean owns(int indexId, byte[] key) {
        int ordinal = table.ordinal(indexId);
        try {
            return ordinal >= 0 && spans.span(ordinal).contains(key) && decoder.owns(ordinal, key);
        } catch (CorruptKvException e) {
            // It has the prefix of the index, and is not a valid key.
            return false;
        }
    }

    Table table() {
        return table;
    }

    String describe(int indexId) {
        int ordinal = table.ordinal(indexId);
        return ordinal < 0
                ? "table " + table.name() + ", which has no index " + indexId
                : "index " + table.indexes().get(ordinal).def().name() + " of table " + table.name();
    }
}
