package io.sluice.node.cache;

import io.sluice.api.kv.KeySpan;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The cached rows of one column family. Usable by several threads.
 *
 * <p>Values that come out are the cache's own: do not change them. Neither keys nor values that go in may be changed
 * afterwards.
 */
public final class CacheShard {
    /** Asks for the value that a key has now. */
    public static final long NOW = Entry.STILL - 1;

    private static final AtomicLong SHARDS = new AtomicLong();

    private final RowCache cache;
    private final SpanLog spans = new SpanLog();
    /** Scatters the keys of shards that have the same ones. */
    private final long seed = SHARDS.incrementAndGet();

    private volatile boolean closed;

    CacheShard(RowCache cache) {
        this.cache = cache;
    }

    /**
     * The value of a key, if it is here and was what it says at a sequence number; else null.
     *
     * @param at a snapshot's number, or {@link #NOW}
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
     * Keeps a value that was read from the database. Does nothing when it may not be the newest any more: then somebody
     * has written the key since, or will have soon.
     *
     * @param at the sequence number it was read at: the snapshot's, or the latest one <i>before</i> it was read
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
     * Says that keys and whole spans are about to be written or deleted, before readers can see that. Close the update
     * when they can, or when nothing will come of it.
     */
    public Update begin(List<byte[]> keys, List<KeySpan> updated) {
        return Update.begin(this, keys, updated);
    }

    /** Forgets all rows, and keeps none any more. */
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
