package io.sluice.bench.gate;

import io.sluice.model.kv.IndexDigest;
import io.sluice.model.kv.IndexEncoder;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.Table;
import io.sluice.model.schema.TableDef;
import java.util.Arrays;
import java.util.List;

/**
 * The rows of the table that is imported, each computed from its number: {@code item(id PRIMARY KEY, k, payload)} with
 * an index on {@code k}. A primary KV has about 300 bytes of value, a secondary one is all key. One per thread.
 */
final class Items {
    static final TableDef DEF = Ddl.parse(
                    "CREATE TABLE item (id INT8 PRIMARY KEY, k INT8 NOT NULL, payload STRING NOT NULL, INDEX by_k (k))",
                    "item.sql")
            .get(0);

    private static final int PAYLOAD_BYTES = 280;
    /** Measured size of both KVs of a row. */
    private static final int ROW_BYTES = 350;

    private final Table table;
    private final boolean inOrder;
    private final long seed;
    private final List<IndexEncoder> encoders;
    private final Row row = new Row(3);
    private final byte[] payload = new byte[PAYLOAD_BYTES];
    private final byte[] scratch = new byte[1 << 10];

    Items(int tableId, boolean inOrder, long seed) {
        table = Table.bind(DEF, tableId, name -> null);
        this.inOrder = inOrder;
        this.seed = mix(seed);
        encoders = IndexEncoder.ofAll(table);
    }

    static long rows(long kvBytes) {
        return Math.max(1, kvBytes / ROW_BYTES);
    }

    /** Spreads numbers over all longs, one to one: the finalizer of splitmix64 (Steele, Lea, Flood 2014). */
    static long mix(long number) {
        long z = number + 0x9e3779b97f4a7c15L;
        z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }

    /** Makes a row the one that {@link #encode} writes. */
    void select(long number) {
        row.clear();
        row.setLong(0, inOrder ? number : mix(number ^ seed));
        row.setLong(1, mix(number + seed));
        for (int i = 0; i < PAYLOAD_BYTES; i++) {
            if (i % Long.BYTES == 0) {
                long bits = mix(number * PAYLOAD_BYTES + i);
                for (int j = 0; j < Long.BYTES; j++) {
                    payload[i + j] = (byte) ('0' + ((bits >>> (8 * j)) & 63));
                }
            }
        }
        row.setBytes(2, payload, 0, PAYLOAD_BYTES);
    }

    IndexDigest digest(int ordinal) {
        return IndexDigest.of(table, ordinal);
    }

    int indexes() {
        return table.indexes().size();
    }

    int maxBytes(int ordinal) {
        return encoders.get(ordinal).maxBytes(row);
    }

    /** As {@link IndexEncoder#encode}. */
    long encode(int ordinal, byte[] buffer, int offset) {
        return encoders.get(ordinal).encode(row, buffer, offset);
    }

    /** The primary key of a row. */
    byte[] key(long number) {
        select(number);
        long lengths = encode(0, scratch, 0);
        return Arrays.copyOf(scratch, (int) (lengths >>> 32));
    }
}
