package io.sluice.node.cache;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * A part of the cache, by the hash of keys: a hash table with chains, a share of the memory, and a clock that chooses
 * who leaves. Finding takes no lock; everything else takes the segment's.
 *
 * <p>A reader that comes while the table grows may miss an entry that is there. It never meets one of another key, and
 * never one that was marked as updated before the reader began.
 *
 * <p>The clock goes round the buckets of the table in their order, not by when entries came, as RocksDB's
 * HyperClockCache does: no list has to be kept, and a hit writes one byte at most.
 */
final class Segment {
    private static final int FIRST_BUCKETS = 16;
    /**
     * Writes to different stripes are told apart; 64 per segment make it unlikely that a fill is refused for another's.
     */
    private static final int STRIPES = 64;

    private final long mostBytes;
    private final CacheCounters counters;

    private volatile AtomicReferenceArray<@Nullable Entry> table = new AtomicReferenceArray<>(FIRST_BUCKETS);

    // Guarded by this.
    /** Updates that have begun and are not over, by stripe. */
    private final int[] running = new int[STRIPES];
    /** A sequence number that no write of an update that is over is above, by stripe. */
    private final long[] updated = new long[STRIPES];

    private long bytes;
    private int entries;
    private int hand;
    /** First of the entries that no longer hold, kept for snapshots. */
    private @Nullable Entry ended;

    Segment(long mostBytes, CacheCounters counters) {
        this.mostBytes = mostBytes;
        this.counters = counters;
    }

    @Nullable
    Entry find(CacheShard shard, int hash, byte[] key) {
        AtomicReferenceArray<@Nullable Entry> now = table;
        Entry entry = now.get(hash & (now.length() - 1));
        while (entry != null && !(entry.hash == hash && entry.shard == shard && Arrays.equals(entry.key, key))) {
            entry = entry.next;
        }
        return entry;
    }

    /**
     * Whether an entry has been held against all updates of spans there were; one that has left the table cannot be.
     */
    boolean caughtUp(Entry entry, Sequences sequences) {
        return entry.spansSeen >= entry.shard.spans().version() || catchUp(entry, sequences);
    }

    private synchronized boolean catchUp(Entry entry, Sequences sequences) {
        SpanLog.State spans = entry.shard.spans();
        if (entry.linked && entry.spansSeen < spans.version()) {
            end(entry, spans.holdsUntil(entry.key, entry.spansSeen), sequences);
            entry.spansSeen = spans.version();
        }
        return entry.spansSeen >= spans.version();
    }

    /**
     * Keeps a row.
     *
     * @param at the sequence number that it was read at
     * @return whether it is kept: not when the key may have been updated since, or is about to be
     */
    synchronized boolean fill(CacheShard shard, int hash, byte[] key, byte[] value, long at, Sequences sequences) {
        int stripe = stripe(hash);
        if (running[stripe] > 0 || at < updated[stripe]) {
            return false;
        }
        SpanLog.State spans = shard.spans();
        long untouched = spans.untouchedFrom(key, at);
        if (at < untouched || shard.closed()) {
            return false;
        }
        Entry known = find(shard, hash, key);
        if (known != null) {
            catchUp(known, sequences);
            if (known.until == Entry.STILL) {
                // Somebody else has read the same meanwhile.
                return true;
            }
            remove(known);
        }
        add(new Entry(shard, hash, key, value, Math.max(updated[stripe], untouched), spans.version()));
        evict(sequences);
        return true;
    }

    private void add(Entry entry) {
        if (entries >= table.length()) {
            grow();
        }
        int bucket = entry.hash & (table.length() - 1);
        entry.next = table.get(bucket);
        table.set(bucket, entry);
        entry.linked = true;
        entries++;
        bytes += entry.bytes();
        counters.added(entry.bytes());
    }

    private void grow() {
        AtomicReferenceArray<@Nullable Entry> before = table;
        AtomicReferenceArray<@Nullable Entry> after = new AtomicReferenceArray<>(before.length() * 2);
        for (int i = 0; i < before.length(); i++) {
            Entry entry = before.get(i);
            while (entry != null) {
                Entry next = entry.next;
                int bucket = entry.hash & (after.length() - 1);
                entry.next = after.get(bucket);
                after.set(bucket, entry);
                entry = next;
            }
        }
        hand = 0;
        table = after;
    }

    /** A write to a key begins, whose sequence number will be above the given one. */
    synchronized void updateBegins(CacheShard shard, int hash, byte[] key, long before, Sequences sequences) {
        running[stripe(hash)]++;
        Entry entry = find(shard, hash, key);
        if (entry != null) {
            end(entry, before + 1, sequences);
        }
    }

    /** That write is over, be it done or failed; its sequence number is not above the given one. */
    synchronized void updateEnded(int hash, long after) {
        int stripe = stripe(hash);
        running[stripe]--;
        updated[stripe] = Math.max(updated[stripe], after);
    }

    /** An entry holds up to a sequence number only; it goes unless a snapshot may still want it. */
    private void end(Entry entry, long until, Sequences sequences) {
        if (until >= entry.until) {
            return;
        }
        boolean first = entry.until == Entry.STILL;
        entry.until = until;
        if (first) {
            counters.invalidated();
            linkEnded(entry);
        }
        if (entry.useless(sequences.oldestSnapshot())) {
            remove(entry);
        }
    }

    /** Removes what no longer holds and no snapshot can see: those that are left read at the given number or later. */
    synchronized void reap(long oldestSnapshot) {
        Entry entry = ended;
        while (entry != null) {
            Entry next = entry.nextEnded;
            if (entry.useless(oldestSnapshot)) {
                remove(entry);
            }
            entry = next;
        }
    }

    private void evict(Sequences sequences) {
        long oldestSnapshot = sequences.oldestSnapshot();
        while (bytes > mostBytes) {
            Entry entry = table.get(hand);
            while (entry != null) {
                Entry next = entry.next;
                turn(entry, sequences, oldestSnapshot);
                entry = next;
            }
            hand = (hand + 1) & (table.length() - 1);
        }
    }

    /** The clock passes an entry. */
    private void turn(Entry entry, Sequences sequences, long oldestSnapshot) {
        catchUp(entry, sequences);
        if (entry.useless(oldestSnapshot) || entry.shard.closed()) {
            remove(entry);
        } else if (!entry.survivesTurn()) {
            remove(entry);
            counters.evicted();
        }
    }

    /** Removes the entries of a shard. */
    synchronized void clear(CacheShard shard) {
        for (int i = 0; i < table.length(); i++) {
            Entry entry = table.get(i);
            while (entry != null) {
                Entry next = entry.next;
                if (entry.shard == shard) {
                    remove(entry);
                }
                entry = next;
            }
        }
    }

    private void remove(Entry entry) {
        if (!entry.linked) {
            return;
        }
        int bucket = entry.hash & (table.length() - 1);
        Entry next = entry.next;
        Entry other = table.get(bucket);
        if (other == entry) {
            table.set(bucket, next);
        } else {
            while (other != null && other.next != entry) {
                other = other.next;
            }
            if (other != null) {
                other.next = next;
            }
        }
        entry.linked = false;
        unlinkEnded(entry);
        entries--;
        bytes -= entry.bytes();
        counters.removed(entry.bytes());
    }

    private void linkEnded(Entry entry) {
        Entry first = ended;
        entry.nextEnded = first;
        if (first != null) {
            first.previousEnded = entry;
        }
        ended = entry;
        counters.ended(1);
    }

    private void unlinkEnded(Entry entry) {
        if (entry.until == Entry.STILL) {
            return;
        }
        Entry previous = entry.previousEnded;
        Entry next = entry.nextEnded;
        if (previous == null) {
            ended = next;
        } else {
            previous.nextEnded = next;
        }
        if (next != null) {
            next.previousEnded = previous;
        }
        entry.previousEnded = null;
        entry.nextEnded = null;
        counters.ended(-1);
    }

    /** Bytes counted again, and the invariants of the lists checked; for tests. */
    synchronized long checkedBytes() {
        long sum = 0;
        int count = 0;
        for (int i = 0; i < table.length(); i++) {
            for (Entry entry = table.get(i); entry != null; entry = entry.next) {
                sum += entry.bytes();
                count++;
            }
        }
        if (sum != bytes || count != entries || bytes > mostBytes) {
            throw new IllegalStateException(count + " entries of " + sum + " bytes, but " + entries + " of " + bytes
                    + " were counted, of at most " + mostBytes);
        }
        return sum;
    }

    /** Bits that choose neither the segment nor, in tables of less than 2^20 buckets, the bucket. */
    private static int stripe(int hash) {
        return (hash >>> 20) & (STRIPES - 1);
    }
}
