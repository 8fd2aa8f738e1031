package io.sluice.engine.store;

import io.sluice.model.kv.KeySpan;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;
import org.rocksdb.Snapshot;

/**
 * A cursor over the KVs of a key span in order, as of its view's snapshot. For one thread at a time. Another thread may
 * close the view or the store; the cursor's next call then fails.
 */
public final class KvCursor implements AutoCloseable {
    private final FamilyView view;
    private final Slice upperBound;
    private final ReadOptions options;
    private final RocksIterator iterator;
    private boolean freed;

    /** Opens a cursor. The caller has entered the view's gate. */
    KvCursor(
            FamilyView view,
            RocksDB db,
            ColumnFamilyHandle handle,
            @Nullable Snapshot snapshot,
            KeySpan span,
            ReadPattern pattern) {
        this.view = view;
        upperBound = new Slice(span.end());
        options = new ReadOptions().setIterateUpperBound(upperBound);
        if (snapshot != null) {
            options.setSnapshot(snapshot);
        }
        pattern.tune(options);
        iterator = db.newIterator(handle, options);
        iterator.seek(span.start());
    }

    /** The next KV, or null after the last. */
    public @Nullable Kv next() {
        view.enter();
        try {
            if (!atKv()) {
                return null;
            }
            Kv kv = new Kv(iterator.key(), iterator.value());
            iterator.next();
            return kv;
        } finally {
            view.exit();
        }
    }

    /** Moves to the first KV of the span with a key not less than {@code key}. */
    public void seek(byte[] key) {
        view.enter();
        try {
            if (freed) {
                throw new IllegalStateException("the cursor is closed");
            }
            iterator.seek(key);
        } finally {
            view.exit();
        }
    }

    /**
     * Visits at most {@code max} KVs. Closing the view or the store waits for the call, so {@code max} should be some
     * thousands, and the visitor must not close them.
     *
     * @param visitor receives keys and values, and owns the arrays from then on
     * @return how many were visited; 0 after the last
     */
    public int visit(int max, BiConsumer<byte[], byte[]> visitor) {
        view.enter();
        try {
            int visited = 0;
            while (visited < max && atKv()) {
                visitor.accept(iterator.key(), iterator.value());
                iterator.next();
                visited++;
            }
            return visited;
        } finally {
            view.exit();
        }
    }

    /**
     * Visits at most {@code max} KVs until the visitor stops, and copies only the KVs that it asks for. The limits of
     * {@link #visit} apply.
     *
     * @param visitor inspects one KV, which the next call reuses, and says whether to continue with the next KV
     * @return false when the span ended or the visitor stopped
     */
    public boolean heads(int max, Predicate<KvHead> visitor) {
        view.enter();
        try {
            KvHead head = new KvHead(iterator);
            for (int visited = 0; visited < max; visited++) {
                if (!atKv()) {
                    return false;
                }
                head.read(iterator);
                if (!visitor.test(head)) {
                    return false;
                }
                iterator.next();
            }
            return true;
        } finally {
            view.exit();
        }
    }

    /** Whether the iterator is at a KV. It stops both at the end and at an error; its status tells which. */
    private boolean atKv() {
        if (freed) {
            throw new IllegalStateException("the cursor is closed");
        }
        if (iterator.isValid()) {
            return true;
        }
        try {
            iterator.status();
            return false;
        } catch (RocksDBException e) {
            throw StoreErrors.failed("read column family " + view.family().name(), e);
        }
    }

    @Override
    public void close() {
        view.close(this);
    }

    /** Frees the native handles. The caller has entered the view's gate, or has closed it. */
    void free() {
        if (!freed) {
            freed = true;
            iterator.close();
            options.close();
            upperBound.close();
        }
    }
}
