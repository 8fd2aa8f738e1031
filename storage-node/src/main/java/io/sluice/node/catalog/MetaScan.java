package io.sluice.node.catalog;

import io.sluice.engine.store.FamilyView;
import io.sluice.engine.store.Kv;
import io.sluice.engine.store.KvCursor;
import io.sluice.engine.store.ReadPattern;
import io.sluice.engine.store.RocksStore;
import io.sluice.model.kv.KeySpan;
import java.util.function.BiConsumer;

/** Scans the catalog's records by a prefix of their keys. */
final class MetaScan {
    private MetaScan() {}

    static boolean empty(RocksStore store, byte[] prefix) {
        try (FamilyView view = store.meta().view();
                KvCursor cursor = view.cursor(KeySpan.ofPrefix(prefix), ReadPattern.SCAN)) {
            return cursor.next() == null;
        }
    }

    static void forEach(RocksStore store, byte[] prefix, BiConsumer<byte[], byte[]> visitor) {
        try (FamilyView view = store.meta().view();
                KvCursor cursor = view.cursor(KeySpan.ofPrefix(prefix), ReadPattern.SCAN)) {
            for (Kv kv = cursor.next(); kv != null; kv = cursor.next()) {
                visitor.accept(kv.key(), kv.value());
            }
        }
    }
}
