package io.sluice.engine.cache;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * A part of the cache by the hash of keys: a hash table with chains, a share of the memory, and CLOCK eviction. Lookups
 * take no lock; all other operations take the segment's lock.
 *
 * <p>A reader may miss an existing entry while the table grows. It never finds one of another key, and never one that
 * was marked as updated before the reader began.
 *
 * <p>The clock passes the buckets in table order, not in order of insertion, as in RocksDB's HyperClockCache: there is
 * no list to maintain, and a hit writes at most one byte.
 */
final class Segment {
    private static final int FIRST_BUCKETS = 16;
    /**
     * Number of stripes that track writes separately: with 64 per segment, a write of another key rarely refuses a
     * fill.
     */
    private static final int STRIPES = 64;

    private final long mostBytes;
    private final CacheCounters counters;

    private volatile AtomicReferenceArray<@Nullable Entry> table = new AtomicReferenceArray<>(FIRST_BUCKETS);

    // Guarded by this.
    /** The number of running updates per stripe. */
    private final int[] running = new int[STRIPES];
    /** Upper bound on the sequence numbers of completed updates, per stripe. */
    private final long[] updated = new long[STRIPES];

    private long bytes;
    private int entries;
    private int hand;
    /** Head of the list of outdated entries, which are kept for snapshots. */
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
     * Applies all updates of spans to an entry. Returns false for an entry that has left the table, because it cannot
     * be brought up to date.
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
     * Adds a row.
     *
     * @param at the sequence number of the read
     * @return whether it was added: not when the key may have been updated since, or an update is in progress
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
                // Another thread has added the same value.
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

    /** Begins a write of a key, whose sequence number will be above {@code before}. */
    synchronized void updateBegins(CacheShard shard, int hash, byte[] key, long before, Sequences sequences) {
        running[stripe(hash)]++;
        Entry entry = find(shard, hash, key);
        if (entry != null) {
            end(entry, before + 1, sequences);
        }
    }

    /** Ends a write, successful or failed, whose sequence number is at most {@code after}. */
    synchronized void updateEnded(int hash, long after) {
        int stripe = stripe(hash);
        running[stripe]--;
        updated[stripe] = Math.max(updated[stripe], after);
    }

    /** Ends an entry's validity at a sequence number; removes it unless an open snapshot may see it. */
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

    /** Removes outdated entries that no open snapshot can see: all read at the given number or later. */
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
                sweep(entry, sequences, oldestSnapshot);
                entry = next;
            }
            hand = (hand + 1) & (table.length() - 1);
        }
    }

    /** Handles an entry that the clock passes. */
    private void sweep(Entry entry, Sequences sequences, long oldestSnapshot) {
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

    /** Counts the bytes again and checks the invariants of the lists; for tests. */
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

    /** The stripe of a hash, by bits that choose neither the segment nor, below 2^20 buckets, the bucket. */
    private static int stripe(int hash) {
        return (hash >>> 20) & (STRIPES - 1);
    }
}
