package io.sluice.node.cache;

import io.sluice.api.kv.KeySpan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * The latest updates of whole key spans of one shard: deletions of ranges, files that were ingested. Entries are held
 * against it when they are met, and not when an update comes, so that an update costs the same however many entries
 * there are.
 *
 * <p>It remembers {@value #MOST}. An entry that was last held against it before the oldest of those no longer counts:
 * it has not been read for so many updates.
 *
 * <p>Readers take one {@link State} and ask that; changes take the lock and put a new one in its place.
 */
final class SpanLog {
    static final int MOST = 256;

    private volatile State state = new State(0, List.of(), 0, 0, 0);

    /**
     * One update.
     *
     * @param number counts from 1
     * @param starts of disjoint spans in order
     * @param ends of those
     * @param before a sequence number that every write of the update is above
     * @param after one that no write of it is above; {@link Long#MAX_VALUE} while it runs
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
     * The log at one moment.
     *
     * @param version number of the latest update
     * @param recent the latest ones, oldest first
     * @param forgotten largest {@code after} of those before them that are over
     * @param running how many of those before them are not
     * @param latest largest {@code after} of all; {@link Long#MAX_VALUE} while one runs
     */
    record State(long version, List<Update> recent, long forgotten, int running, long latest) {
        /**
         * The sequence number below which a value that was true after {@code seen} updates holds; {@link Entry#STILL}
         * when none of those since has touched the key.
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
         * A sequence number from which on no update has touched the key; {@link Long#MAX_VALUE} while one is about to.
         *
         * @param wanted what is asked for is whether it is at most this
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

    /** How many updates there were. */
    long version() {
        return state.version();
    }

    /**
     * An update begins: from now on no entry of its spans counts for those who could see it.
     *
     * @return its number
     */
    synchronized long begin(List<KeySpan> spans, Sequences sequences) {
        List<KeySpan> sorted = disjoint(spans);
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

    /** An update is over, be it done or failed. */
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

    private static List<KeySpan> disjoint(List<KeySpan> spans) {
        List<KeySpan> sorted = new ArrayList<>(spans);
        sorted.sort(Comparator.comparing(KeySpan::start, Arrays::compareUnsigned));
        List<KeySpan> disjoint = new ArrayList<>();
        for (KeySpan span : sorted) {
            KeySpan last = disjoint.isEmpty() ? null : disjoint.get(disjoint.size() - 1);
            if (last == null || Arrays.compareUnsigned(last.end(), span.start()) < 0) {
                disjoint.add(span);
            } else if (Arrays.compareUnsigned(last.end(), span.end()) < 0) {
                disjoint.set(disjoint.size() - 1, new KeySpan(last.start(), span.end()));
            }
        }
        return disjoint;
    }
}
