package io.sluice.node.ingest;

import io.sluice.engine.store.FamilyView;
import io.sluice.engine.store.SstWriter;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.kv.IndexDigest;
import io.sluice.model.kv.IndexEncoder;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.kv.RowDecoder;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Table;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;

/**
 * The KVs of rows that an import deletes from a table when it is published, in all indexes. They are derived from the
 * primary KVs and kept in memory.
 */
final class Replaced {
    private final TreeMap<byte[], Gone> kvs = new TreeMap<>(Arrays::compareUnsigned);

    /** A KV to delete, unless the import overwrites its key. */
    private static final class Gone {
        final int ordinal;
        final KvChecksum sum;
        boolean overwritten;

        Gone(int ordinal, KvChecksum sum) {
            this.ordinal = ordinal;
            this.sum = sum;
        }
    }

    /** No rows. */
    static Replaced none() {
        return new Replaced();
    }

    /**
     * Adds the KVs of rows with the given primary keys.
     *
     * @param primaryKeys keys of their primary KVs
     * @param most maximum number of KVs
     */
    void add(Table table, FamilyView view, List<byte[]> primaryKeys, int most) {
        RowDecoder decoder = new RowDecoder(table);
        List<IndexDigest> digests = IndexDigest.ofAll(table);
        List<IndexEncoder> encoders = IndexEncoder.ofAll(table);
        Row row = new Row(table.def().columns().size());
        for (byte[] key : primaryKeys) {
            byte[] value = view.get(key);
            if (value == null) {
                throw new OperationFailedException("a row of table " + table.name()
                        + " that was to be replaced is not there any more; import again");
            }
            row.clear();
            decoder.decodePrimary(key, value, row);
            encoders.forEach(encoder -> add(encoder, digests.get(encoder.ordinal()), row));
            if (kvs.size() > most) {
                throw new BadInputException("the import replaces rows of table " + table.name() + " with more than "
                        + most + " KVs; nothing was imported. Import the input in parts");
            }
        }
    }

    private void add(IndexEncoder encoder, IndexDigest digest, Row row) {
        byte[] buffer = new byte[encoder.maxBytes(row)];
        long lengths = encoder.encode(row, buffer, 0);
        int keyLength = (int) (lengths >>> 32);
        KvChecksum.Accumulator sum = new KvChecksum.Accumulator(digest);
        sum.add(buffer, 0, keyLength, (int) lengths);
        kvs.put(Arrays.copyOf(buffer, keyLength), new Gone(encoder.ordinal(), sum.sum()));
    }

    boolean isEmpty() {
        return kvs.isEmpty();
    }

    /** Whether a key is among those to delete; marks it as overwritten by the import. */
    boolean overwrites(byte[] key) {
        Gone gone = kvs.get(key);
        if (gone == null) {
            return false;
        }
        gone.overwritten = true;
        return true;
    }

    /** Checksum of an index's deleted KVs that are not overwritten; complete after all SSTs were compared. */
    KvChecksum gone(int ordinal) {
        return kvs.values().stream()
                .filter(each -> each.ordinal == ordinal && !each.overwritten)
                .map(each -> each.sum)
                .reduce(KvChecksum.EMPTY, KvChecksum::plus);
    }

    /** Writes an SST of tombstones for the deleted KVs; false when there are none. */
    boolean write(Path sst) {
        List<byte[]> keys = kvs.entrySet().stream()
                .filter(each -> !each.getValue().overwritten)
                .map(java.util.Map.Entry::getKey)
                .toList();
        if (keys.isEmpty()) {
            return false;
        }
        try (SstWriter writer = new SstWriter(sst)) {
            keys.forEach(writer::delete);
            writer.finish();
        }
        return true;
    }
}
