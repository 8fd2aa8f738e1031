package io.sluice.node.ingest;

import io.sluice.api.node.OverlapReport;
import io.sluice.engine.store.SstWriter;
import io.sluice.model.error.BadInputException;
import io.sluice.model.kv.IndexDigest;
import io.sluice.model.kv.IndexEncoder;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.kv.KvEncoder;
import io.sluice.model.kv.RowDecoder;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Table;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Predicate;

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
     * Adds the KVs of rows.
     *
     * @param rows their primary KVs; joined, if the table has several column families
     * @param held which keys to add
     * @param most maximum number of KVs
     */
    void add(Table table, List<OverlapReport.Holder> rows, Predicate<byte[]> held, int most) {
        RowDecoder decoder = new RowDecoder(table.inOneFamily());
        List<IndexDigest> digests = IndexDigest.ofAll(table);
        List<IndexEncoder> encoders = IndexEncoder.ofAll(table);
        Row row = new Row(table.def().columns().size());
        for (OverlapReport.Holder holder : rows) {
            row.clear();
            decoder.decodePrimary(holder.key(), holder.value(), row);
            for (IndexEncoder encoder : encoders) {
                IndexDigest digest = digests.get(encoder.ordinal());
                add(encoder, encoder.ordinal(), digest, row, held);
                encoder.families().forEach(family -> add(family, encoder.ordinal(), digest, row, held));
            }
            if (kvs.size() > most) {
                throw new BadInputException("the import replaces rows of table " + table.name() + " with more than "
                        + most + " KVs; nothing was imported. Import the input in parts");
            }
        }
    }

    private void add(KvEncoder encoder, int ordinal, IndexDigest digest, Row row, Predicate<byte[]> held) {
        byte[] buffer = new byte[encoder.maxBytes(row)];
        long lengths = encoder.encode(row, buffer, 0);
        int keyLength = (int) (lengths >>> 32);
        byte[] key = Arrays.copyOf(buffer, keyLength);
        if (lengths == 0 || !held.test(key)) {
            return;
        }
        KvChecksum.Accumulator sum = new KvChecksum.Accumulator(digest);
        sum.add(buffer, 0, keyLength, (int) lengths);
        kvs.put(key, new Gone(ordinal, sum.sum()));
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

    /**
     * Checksum of an index's deleted KVs that are not overwritten; complete after all SSTs were compared.
     *
     * @param counted which keys to count
     */
    KvChecksum gone(int ordinal, Predicate<byte[]> counted) {
        return kvs.entrySet().stream()
                .filter(each -> each.getValue().ordinal == ordinal && !each.getValue().overwritten)
                .filter(each -> counted.test(each.getKey()))
                .map(each -> each.getValue().sum)
                .reduce(KvChecksum.EMPTY, KvChecksum::plus);
    }

    /** The keys to delete, ascending: those that the import does not overwrite. */
    List<byte[]> deletions() {
        return kvs.entrySet().stream()
                .filter(each -> !each.getValue().overwritten)
                .map(java.util.Map.Entry::getKey)
                .toList();
    }

    /** Writes an SST of tombstones. */
    static void write(List<byte[]> keys, Path sst) {
        try (SstWriter writer = new SstWriter(sst)) {
            keys.forEach(writer::delete);
            writer.finish();
        }
    }
}
