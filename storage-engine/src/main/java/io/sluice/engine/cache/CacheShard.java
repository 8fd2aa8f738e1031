package io.sluice.engine.cache;

import io.sluice.model.kv.KeySpan;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The cached rows of one column family. Usable by several threads.
 *
 * <p>The cache owns all keys and values: callers must not change returned values, nor keys and values after passing
 * them in.
 */
public final class CacheShard {
    /** The sequence number of a lookup of the current value. */
    public static final long NOW = Entry.STILL - 1;

    private static final AtomicLong SHARDS = new AtomicLong();

    private final RowCache cache;
    private final SpanLog spans = new SpanLog();
    /** Scatters equal keys of different shards. */
    private final long seed = SHARDS.incrementAndGet();

    private volatile boolean closed;

    CacheShard(RowCache cache) {
        this.cache = cache;
    }

    /**
     * The cached value of a key, if it is valid at a sequence number; else null.
     *
     * @param at a snapshot's sequence number, or {@link #NOW}
     */
    public byte @Nullable [] find(byte[] key, long at) {
        long hash = KeyHash.of(key, seed);
        Segment segment = cache.segment(hash);
        Entry entry = segment.find(this, (int) hash, key);
        if (entry != null) {
            if (segment.caughtUp(entry, cache.sequences()) && entry.holdsAt(at)) {
                entry.used();
                cache.counters().hit();
                return entry.value;
            }
        }
        cache.counters().missed();
        return null;
    }

    /**
     * Adds a value that was read from the database. Does nothing when it may not be the newest: a write of the key has
     * happened since, or is in progress.
     *
     * @param at the sequence number of the read: the snapshot's, or the latest one <i>before</i> the read
     */
    public void fill(byte[] key, byte[] value, long at) {
        boolean kept = !cache.tooLarge(key, value);
        if (kept) {
            long hash = KeyHash.of(key, seed);
            kept = cache.segment(hash).fill(this, (int) hash, key, value, at, cache.sequences());
        }
        cache.counters().filled(kept);
    }

    /**
     * Announces a write or delete of keys and spans, before readers can see it. The caller closes the update once they
     * can, or after the write failed.
     */
    public Update begin(List<byte[]> keys, List<KeySpan> updated) {
        return Update.begin(this, keys, updated);
    }

    /** Removes all rows, and refuses new ones. */
    public void close() {
        closed = true;
        cache.clear(this);
    }

    boolean closed() {
        return closed;
    }

    SpanLog.State spans() {
        return spans.state();
    }

    SpanLog log() {
        return spans;
    }

    long hash(byte[] key) {
        return KeyHash.of(key, seed);
    }

    RowCache cache() {
        return cache;
    }
}
