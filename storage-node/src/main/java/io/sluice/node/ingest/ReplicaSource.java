package io.sluice.node.ingest;

import io.sluice.api.node.KvPage;
import io.sluice.api.node.RangeDirectory;
import io.sluice.engine.store.Family;
import io.sluice.engine.store.FamilyView;
import io.sluice.engine.store.Kv;
import io.sluice.engine.store.KvCursor;
import io.sluice.engine.store.ReadPattern;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.kv.KeySpan;
import io.sluice.node.catalog.TableRecord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads key ranges of this node for their copies on other nodes. Thread-safe. */
public final class ReplicaSource {
    private final ImportContext context;

    ReplicaSource(ImportContext context) {
        this.context = context;
    }

    /** The table of that id on this node. */
    TableRecord record(int tableId) {
        TableRecord record = context.catalog().table(tableId);
        if (record == null) {
            throw new BadInputException("there is no table with id " + tableId + " on this node; was it dropped?");
        }
        return record;
    }

    /** The column family of a table. */
    Family family(TableRecord record) {
        Family family = context.store().find(record.family());
        if (family == null) {
            throw new BadInputException("table " + record.table().name() + " was dropped meanwhile");
        }
        return family;
    }

    /**
     * Reads the first KVs of a table in a span.
     *
     * @param maxBytes bytes of keys and values after which the page ends
     * @param sumsOnly whether to leave the KVs out
     * @throws OperationFailedException when a KV does not match its checksum
     */
    public KvPage page(int tableId, KeySpan span, long maxBytes, boolean sumsOnly) {
        TableRecord record = record(tableId);
        TableKvs kvs = new TableKvs(record.table());
        List<byte[]> keys = new ArrayList<>();
        List<byte @Nullable []> values = new ArrayList<>();
        long bytes = 0;
        try (FamilyView view = family(record).latest();
                KvCursor cursor = view.cursor(span, ReadPattern.SCAN)) {
            for (Kv kv = cursor.next(); kv != null; kv = cursor.next()) {
                if (!kvs.add(kv.key(), kv.value())) {
                    continue;
                }
                if (!sumsOnly) {
                    keys.add(kv.key());
                    values.add(kv.value());
                }
                bytes += kv.key().length + (long) kv.value().length;
                if (bytes >= maxBytes) {
                    return new KvPage(Arrays.copyOf(kv.key(), kv.key().length + 1), kvs.sums(), keys, values);
                }
            }
        }
        return new KvPage(span.end(), kvs.sums(), keys, values);
    }

    /**
     * Estimates the bytes of a table's ranges on this node, also of those that it does not hold. Those of tables that
     * are interleaved with it are included.
     */
    public List<Long> bytes(int tableId) {
        TableRecord record = record(tableId);
        Family family = family(record);
        RangeDirectory directory = record.directory();
        List<Long> bytes = new ArrayList<>();
        for (int range = 0; range < directory.ranges().size(); range++) {
            bytes.add(family.estimatedBytes(directory.span(range)));
        }
        return bytes;
    }

    /**
     * Keys that cut a span of a table into parts of about equal size, ascending.
     *
     * @param parts wanted number of parts; a span with few KVs has fewer
     */
    public List<byte[]> cuts(int tableId, KeySpan span, int parts) {
        TableRecord record = record(tableId);
        return RangeCuts.of(record.table(), family(record), span, parts);
    }

    /** The present values of a table's keys; null where there is none. Keys of other tables are left out. */
    public KvPage values(int tableId, List<byte[]> keys) {
        TableRecord record = record(tableId);
        TableKvs kvs = new TableKvs(record.table());
        List<byte[]> own = keys.stream().filter(key -> kvs.ordinal(key) >= 0).toList();
        List<byte @Nullable []> values = new ArrayList<>();
        try (FamilyView view = family(record).latest()) {
            own.forEach(key -> values.add(view.get(key)));
        }
        return new KvPage(new byte[0], List.of(), own, values);
    }
}
