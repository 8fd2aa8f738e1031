package io.sluice.node.transaction;

import io.sluice.api.kv.KeySpan;
import io.sluice.api.schema.Table;
import io.sluice.node.store.HeadVisitor;
import io.sluice.node.store.Kv;
import io.sluice.node.store.KvHead;
import org.jspecify.annotations.Nullable;

/** One table as a {@link Snapshot} has it. Usable by several threads. */
public interface SnapshotTable {
    /** The table, with the ids its keys carry. */
    Table table();

    /** Name of the sorted map that its KVs are in, which tables of one hierarchy share. */
    String tree();

    /** The value of a key of the primary index, or null. The array may be shared: do not change it. */
    byte @Nullable [] row(byte[] primaryKey);

    /** The value of a key of any index, or null. */
    byte @Nullable [] value(byte[] key);

    /** The KVs of a span, whatever tables they are of. Close it. */
    KvSource scan(KeySpan span);

    /** Visits all KVs of a span, whatever tables they are of, until the visitor has enough. */
    default void heads(KeySpan span, HeadVisitor visitor) {
        try (KvSource source = scan(span)) {
            Kv kv = source.next();
            while (kv != null && visitor.visit(KvHead.of(kv))) {
                kv = source.next();
            }
        }
    }
}
