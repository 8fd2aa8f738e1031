package io.sluice.node.ingest;

import io.sluice.model.error.OperationFailedException;
import io.sluice.model.kv.CorruptKvException;
import io.sluice.model.kv.IndexDigest;
import io.sluice.model.kv.IndexKeys;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.kv.RowDecoder;
import io.sluice.model.schema.Table;
import java.util.ArrayList;
import java.util.List;

/** Tells a table's KVs from those of others in the same tree, and sums them by index. Not thread-safe. */
public final class TableKvs {
    private final Table table;
    private final RowDecoder decoder;
    private final List<KeySpan> spans = new ArrayList<>();
    private final List<IndexDigest> digests;
    private final List<KvChecksum.Accumulator> sums = new ArrayList<>();

    /** Begins with empty sums. */
    public TableKvs(Table table) {
        this.table = table;
        decoder = new RowDecoder(table);
        digests = IndexDigest.ofAll(table);
        IndexKeys keys = new IndexKeys(table);
        for (int i = 0; i < table.indexes().size(); i++) {
            spans.add(keys.span(i));
            sums.add(new KvChecksum.Accumulator(digests.get(i)));
        }
    }

    /** The position of the index that a key belongs to; -1 if it belongs to another table. */
    int ordinal(byte[] key) {
        for (int i = 0; i < spans.size(); i++) {
            if (spans.get(i).contains(key) && owns(i, key)) {
                return i;
            }
        }
        return -1;
    }

    private boolean owns(int ordinal, byte[] key) {
        try {
            return decoder.owns(ordinal, key);
        } catch (CorruptKvException e) {
            throw new OperationFailedException(
                    "table " + table.name() + ": a key cannot be decoded: " + e.getMessage(), e);
        }
    }

    /**
     * Adds a KV to the sums if it is one of the table.
     *
     * @return whether it is
     * @throws OperationFailedException if its value does not match its checksum
     */
    public boolean add(byte[] key, byte[] value) {
        int ordinal = ordinal(key);
        if (ordinal >= 0 && !sums.get(ordinal).addIntact(key, value)) {
            throw new OperationFailedException(digests.get(ordinal).damage(key, 0, key.length));
        }
        return ordinal >= 0;
    }

    /** The checksum of each index. */
    public List<KvChecksum> sums() {
        return sums.stream().map(KvChecksum.Accumulator::sum).toList();
    }
}
