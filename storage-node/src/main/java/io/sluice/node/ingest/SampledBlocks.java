package io.sluice.node.ingest;

import io.sluice.api.node.SstFile;
import io.sluice.engine.store.SstCursor;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.kv.CorruptKvException;
import io.sluice.model.kv.IndexEncoder;
import io.sluice.model.kv.KvEncoder;
import io.sluice.model.kv.RowDecoder;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.Table;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads sample blocks of an SST back, and checks that every KV in them is the encoding of a row of the table. This
 * finds errors that checksums miss: a wrong encoding, or a KV of another table.
 */
final class SampledBlocks {
    /** Length of a block of an SST. Reading that much on both sides of a key covers the whole block of the key. */
    private static final int BLOCK_BYTES = 16 << 10;

    private final Table table;
    private final int ordinal;
    private final RowDecoder decoder;
    private final IndexEncoder encoder;
    private final Row row;
    private byte[] buffer = {};

    private SampledBlocks(Table table, int ordinal) {
        this.table = table;
        this.ordinal = ordinal;
        decoder = new RowDecoder(table);
        encoder = IndexEncoder.ofAll(table).get(ordinal);
        row = new Row(table.def().columns().size());
    }

    /**
     * Reads the blocks around the sample keys that the sender has chosen, or else the first block.
     *
     * @param ordinal position of its index in the table
     * @param cursor the SST; afterwards anywhere in it
     * @return the problem, as in "the KV with key 88 <i>is no row</i>"; null when there is none
     * @throws OperationFailedException when the file cannot be read
     */
    static @Nullable String problem(Table table, int ordinal, SstFile sst, SstCursor cursor) {
        SampledBlocks blocks = new SampledBlocks(table, ordinal);
        List<byte[]> keys = sst.samples().isEmpty() ? List.of(sst.smallestKey()) : sst.samples();
        for (byte[] key : keys) {
            String problem = blocks.around(key, cursor);
            if (problem != null) {
                return problem;
            }
        }
        return null;
    }

    private @Nullable String around(byte[] key, SstCursor cursor) {
        cursor.seek(key);
        if (!cursor.valid() || !Arrays.equals(cursor.key(), key)) {
            return describe(key) + " was to be in it, and is not";
        }
        byte[] first = key;
        for (long bytes = 0; bytes < BLOCK_BYTES && cursor.valid(); cursor.previous()) {
            first = cursor.key();
            bytes += first.length + cursor.value().length;
        }
        cursor.seek(first);
        for (long bytes = 0; bytes < BLOCK_BYTES && cursor.valid(); cursor.next()) {
            byte[] each = cursor.key();
            byte[] value = cursor.value();
            String problem = problem(each, value);
            if (problem != null) {
                return describe(each) + " " + problem;
            }
            bytes += Arrays.compareUnsigned(each, key) < 0 ? 0 : each.length + value.length;
        }
        return null;
    }

    private static String describe(byte[] key) {
        return "the KV with key " + Staging.shown(key);
    }

    private @Nullable String problem(byte[] key, byte[] value) {
        int family;
        try {
            family = decoder.decodeFamily(ordinal, key, value, row);
        } catch (CorruptKvException e) {
            return "is no row: " + e.getMessage();
        }
        if (ordinal == 0) {
            List<Column> columns = table.def().columns();
            for (int i = 0; i < columns.size(); i++) {
                Column column = columns.get(i);
                // The families of the primary index are those of the table, in the same order.
                if (row.isNull(i) && !column.nullable() && column.family() == family) {
                    return "is no row: column " + column.name() + " is NULL";
                }
            }
        }
        KvEncoder own = family == 0 ? encoder : encoder.families().get(family - 1);
        int most = own.maxBytes(row);
        if (buffer.length < most) {
            buffer = new byte[most];
        }
        long lengths = own.encode(row, buffer, 0);
        int keyLength = (int) (lengths >>> 32);
        boolean same = Arrays.equals(buffer, 0, keyLength, key, 0, key.length)
                && Arrays.equals(buffer, keyLength, keyLength + (int) lengths, value, 0, value.length);
        return same ? null : "is not what the row in it is encoded as";
    }
}
