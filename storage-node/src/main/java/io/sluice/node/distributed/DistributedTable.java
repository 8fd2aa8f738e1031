package io.sluice.node.distributed;

import io.sluice.api.kv.KeySpan;
import io.sluice.api.schema.Ancestor;
import io.sluice.api.schema.Table;
import io.sluice.api.transaction.Placement;
import io.sluice.node.transaction.KvSource;
import io.sluice.node.transaction.SnapshotTable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A table on several nodes, as a transaction reads it. */
record DistributedTable(DistributedSnapshot snapshot, Placement placement) implements SnapshotTable {
    @Override
    public Table table() {
        return placement.table();
    }

    /** By the outermost table's id: those of a hierarchy have keys that lie among each other. */
    @Override
    public String tree() {
        List<Ancestor> above = table().primary().ancestors();
        return "t" + (above.isEmpty() ? table().id() : above.get(0).tableId());
    }

    @Override
    public byte @Nullable [] row(byte[] primaryKey) {
        return snapshot.value(placement, primaryKey);
    }

    @Override
    public byte @Nullable [] value(byte[] key) {
        return snapshot.value(placement, key);
    }

    @Override
    public KvSource scan(KeySpan span) {
        return new DistributedScan(snapshot, placement, span);
    }
}
