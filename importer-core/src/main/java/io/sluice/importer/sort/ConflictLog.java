package io.sluice.importer.sort;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Counts keys that came more than once and keeps the first conflicts whole. Usable by many threads. */
public final class ConflictLog {
    private final int kept;
    private final List<Conflict> first = new ArrayList<>();
    private final long[] duplicates;
    private final ConflictKeys keys;
    private long conflicts;

    /**
     * Two KVs with one key and different values.
     *
     * @param index position of the index in its table
     */
    @SuppressWarnings("ArrayRecordComponent")
    public record Conflict(int index, byte[] key, byte[] value, byte[] otherValue) {}

    /**
     * A log for a table of so many indexes that keeps the first {@code kept} conflicts it meets.
     *
     * @param keyBytes memory that the set of all keys in conflict may come to take
     */
    public ConflictLog(int indexes, int kept, long keyBytes) {
        duplicates = new long[indexes];
        keys = new ConflictKeys(keyBytes);
        this.kept = kept;
    }

    /** Forgets everything: all input is about to be looked at again. */
    public synchronized void clear() {
        first.clear();
        Arrays.fill(duplicates, 0);
        conflicts = 0;
        keys.clear();
    }

    /** Goes on from duplicates that were counted before, per index. */
    public synchronized void goOnFrom(List<Long> counted) {
        for (int i = 0; i < duplicates.length; i++) {
            duplicates[i] = counted.get(i);
        }
    }

    synchronized void duplicate(int index) {
        duplicates[index]++;
    }

    synchronized void conflict(int index, byte[] key, byte[] value, byte[] otherValue) {
        conflicts++;
        keys.add(key, 0, key.length);
        if (first.size() < kept) {
            first.add(new Conflict(index, key, value, otherValue));
        }
    }

    /** Reports a key that a table has already, with another value. */
    public synchronized void met(byte[] key) {
        keys.add(key, 0, key.length);
    }

    /** Reports conflicts that were only counted. */
    public synchronized void counted(long more) {
        conflicts += more;
    }

    /** Reports KVs of an index that a table has already. */
    public synchronized void repeated(int index, long kvs) {
        duplicates[index] += kvs;
    }

    /** How many KVs of an index were the same, key and value, as one before. */
    public synchronized long duplicates(int index) {
        return duplicates[index];
    }

    public synchronized long conflicts() {
        return conflicts;
    }

    public synchronized List<Conflict> first() {
        return List.copyOf(first);
    }

    /** All keys in conflict; complete and at rest only when nobody reports any more. */
    public synchronized ConflictKeys keys() {
        return keys;
    }
}
