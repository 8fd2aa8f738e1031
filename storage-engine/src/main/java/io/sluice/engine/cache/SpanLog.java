package io.sluice.engine.cache;

import io.sluice.model.kv.KeySpan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The latest updates of key spans of one shard: range deletes and ingested files. An entry is checked against them when
 * it is read, not when an update happens, so that the cost of an update does not depend on the number of entries.
 *
 * <p>It keeps the last {@value #MOST} updates. An entry that was last checked before the oldest of those is treated as
 * outdated: it was not read for that many updates.
 *
 * <p>Readers use one immutable {@link State}; changes take the lock and replace it.
 */
final class SpanLog {
    static final int MOST = 256;

    private volatile State state = new State(0, List.of(), 0, 0, 0);

    /**
     * One update.
     *
     * @param number its number, from 1
     * @param starts first keys of disjoint spans, in order
     * @param ends ends of those spans
     * @param before lower bound, exclusive, on the sequence numbers of the update's writes
     * @param after upper bound on them; {@link Long#MAX_VALUE} while the update runs
     */
    @SuppressWarnings("ArrayRecordComponent")
    private record Update(long number, byte[][] starts, byte[][] ends, long before, long after) {
        boolean covers(byte[] key) {
            int at = Arrays.binarySearch(starts, key, Arrays::compareUnsigned);
            int span = at >= 0 ? at : -at - 2;
            return span >= 0 && Arrays.compareUnsigned(key, ends[span]) < 0;
        }

        Update ended(long sequence) {
            return new Update(number, starts, ends, before, sequence);
        }
    }

    /**
     * An immutable state of the log.
     *
     * @param version number of the latest update
     * @param recent the latest updates, oldest first
     * @param forgotten largest {@code after} of older, completed updates
     * @param running number of older updates that still run
     * @param latest largest {@code after} of all updates; {@link Long#MAX_VALUE} while one runs
     */
    record State(long version, List<Update> recent, long forgotten, int running, long latest) {
        /**
         * The sequence number at which the validity of a value ends that was valid after {@code seen} updates;
         * {@link Entry#STILL} when no later update covers the key.
         */
        long holdsUntil(byte[] key, long seen) {
            if (seen < version - recent.size()) {
                return 0;
            }
            for (int i = (int) (recent.size() - (version - seen)); i < recent.size(); i++) {
                if (recent.get(i).covers(key)) {
                    return recent.get(i).before() + 1;
                }
            }
            return Entry.STILL;
        }

        /**
         * A sequence number after which no update has covered the key; {@link Long#MAX_VALUE} while such an update
         * runs.
         *
         * @param wanted the caller only needs to know whether the result is at most this
         */
        long untouchedFrom(byte[] key, long wanted) {
            if (latest <= wanted) {
                return latest;
            }
            long from = running > 0 ? Long.MAX_VALUE : forgotten;
            for (Update update : recent) {
                if (update.after() > from && update.covers(key)) {
                    from = update.after();
                }
            }
            return from;
        }
    }

    State state() {
        return state;
    }

    /**
     * Begins an update: from now on, entries of its spans are outdated for readers that could see it.
     *
     * @return the number of the update
     */
    synchronized long begin(List<KeySpan> spans, Sequences sequences) {
        List<KeySpan> sorted = KeySpan.union(spans);
        byte[][] starts = sorted.stream().map(KeySpan::start).toArray(byte[][]::new);
        byte[][] ends = sorted.stream().map(KeySpan::end).toArray(byte[][]::new);
        long number = state.version() + 1;
        List<Update> recent = new ArrayList<>(state.recent());
        recent.add(new Update(number, starts, ends, sequences.latest(), Long.MAX_VALUE));
        long forgotten = state.forgotten();
        int running = state.running();
        if (recent.size() > MOST) {
            Update oldest = recent.remove(0);
            if (oldest.after() == Long.MAX_VALUE) {
                running++;
            } else {
                forgotten = Math.max(forgotten, oldest.after());
            }
        }
        state = new State(number, List.copyOf(recent), forgotten, running, Long.MAX_VALUE);
        return number;
    }

    /** Ends an update, successful or failed. */
    synchronized void ended(long number, Sequences sequences) {
        long sequence = sequences.latest();
        List<Update> recent = new ArrayList<>(state.recent());
        int at = (int) (recent.size() - 1 - (state.version() - number));
        long forgotten = state.forgotten();
        int running = state.running();
        if (at < 0) {
            running--;
            forgotten = Math.max(forgotten, sequence);
        } else {
            recent.set(at, recent.get(at).ended(sequence));
        }
        long latest = running > 0 ? Long.MAX_VALUE : forgotten;
        for (Update update : recent) {
            latest = Math.max(latest, update.after());
        }
        state = new State(state.version(), List.copyOf(recent), forgotten, running, latest);
    }
}
