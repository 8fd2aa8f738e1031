package io.sluice.engine.cache;

import io.sluice.model.kv.KeySpan;
import java.util.List;

/**
 * A write in progress, as announced to the cache. For one thread, which closes it after the write, successful or
 * failed.
 */
public abstract sealed class Update implements AutoCloseable {
    /** A write that concerns no cache. */
    public static final Update NONE = new Unannounced();

    private Update() {}

    @Override
    public abstract void close();

    static Update begin(CacheShard shard, List<byte[]> keys, List<KeySpan> spans) {
        return new Announced(shard, keys, spans);
    }

    private static final class Unannounced extends Update {
        @Override
        public void close() {}
    }

    /** A write that was announced to a shard. */
    private static final class Announced extends Update {
        private static final long NO_SPANS = 0;

        private final CacheShard shard;
        private final long[] hashes;
        private final long spanUpdate;
        private boolean over;

        Announced(CacheShard shard, List<byte[]> keys, List<KeySpan> spans) {
            this.shard = shard;
            RowCache cache = shard.cache();
            Sequences sequences = cache.sequences();
            hashes = new long[keys.size()];
            // An entry that is added meanwhile ends too early, which costs a miss.
            long before = sequences.latest();
            for (int i = 0; i < hashes.length; i++) {
                byte[] key = keys.get(i);
                hashes[i] = shard.hash(key);
                cache.segment(hashes[i]).updateBegins(shard, (int) hashes[i], key, before, sequences);
            }
            spanUpdate = spans.isEmpty() ? NO_SPANS : shard.log().begin(spans, sequences);
        }

        @Override
        public void close() {
            if (over) {
                return;
            }
            over = true;
            RowCache cache = shard.cache();
            long after = cache.sequences().latest();
            for (long hash : hashes) {
                cache.segment(hash).updateEnded((int) hash, after);
            }
            if (spanUpdate != NO_SPANS) {
                shard.log().ended(spanUpdate, cache.sequences());
            }
        }
    }
}
