package io.sluice.sql.transaction;

import io.sluice.engine.store.Kv;
import io.sluice.engine.store.KvHead;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.schema.Table;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** One table in a {@link Snapshot}. Thread-safe. */
public interface SnapshotTable {
    /** The table, with the ids in its keys. */
    Table table();

    /** Name of the tree that contains its KVs; tables of one hierarchy share a tree. */
    String tree();

    /** Returns the value of a primary key, or null. The array may be shared: do not modify it. */
    byte @Nullable [] row(byte[] primaryKey);

    /** Returns the value of a key of any index, or null. */
    byte @Nullable [] value(byte[] key);

    /** Scans the KVs of all tables in a span. The caller closes the source. */
    KvSource scan(KeySpan span);

    /** Visits the KVs of all tables in a span until the visitor returns false. */
    default void heads(KeySpan span, Predicate<KvHead> visitor) {
        try (KvSource source = scan(span)) {
            Kv kv = source.next();
            while (kv != null && visitor.test(KvHead.of(kv))) {
                kv = source.next();
            }
        }
    }
}
