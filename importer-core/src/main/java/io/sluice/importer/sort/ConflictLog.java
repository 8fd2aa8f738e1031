package io.sluice.importer.sort;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Counts repeated keys and keeps the first conflicts with their values. Usable by several threads. */
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
     * Creates a log for a table with {@code indexes} indexes that keeps the first {@code kept} conflicts.
     *
     * @param keyBytes most memory for the set of all conflicting keys
     */
    public ConflictLog(int indexes, int kept, long keyBytes) {
        duplicates = new long[indexes];
        keys = new ConflictKeys(keyBytes);
        this.kept = kept;
    }

    /** Clears the log, since all input is about to be read again. */
    public synchronized void clear() {
        first.clear();
        Arrays.fill(duplicates, 0);
        conflicts = 0;
        keys.clear();
    }

    /** Sets the number of duplicates that earlier attempts counted, per index. */
    public synchronized void resumeFrom(List<Long> counted) {
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

    /** Adds a key that the table has with another value. */
    public synchronized void collided(byte[] key) {
        keys.add(key, 0, key.length);
    }

    /** Adds to the number of conflicts, without their keys. */
    public synchronized void addConflicts(long more) {
        conflicts += more;
    }

    /** Adds KVs of an index that the table has already. */
    public synchronized void repeated(int index, long kvs) {
        duplicates[index] += kvs;
    }

    /** Number of KVs of an index that repeat an earlier KV in key and value. */
    public synchronized long duplicates(int index) {
        return duplicates[index];
    }

    public synchronized long conflicts() {
        return conflicts;
    }

    public synchronized List<Conflict> first() {
        return List.copyOf(first);
    }

    /** All conflicting keys; complete and stable only after the last conflict was added. */
    public synchronized ConflictKeys keys() {
        return keys;
    }
}
