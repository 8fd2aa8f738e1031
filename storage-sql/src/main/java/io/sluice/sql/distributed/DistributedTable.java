package io.sluice.sql.distributed;

import io.sluice.api.transaction.Placement;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.schema.Index.Ancestor;
import io.sluice.model.schema.Table;
import io.sluice.sql.transaction.KvSource;
import io.sluice.sql.transaction.SnapshotTable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One distributed table in a {@link DistributedSnapshot}. */
record DistributedTable(DistributedSnapshot snapshot, Placement placement) implements SnapshotTable {
    @Override
    public Table table() {
        return placement.table();
    }

    /** Derived from the root table's id, because the keys of a hierarchy are interleaved. */
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
