package io.sluice.importer.sort;

import io.sluice.importer.encode.KvTarget;
import java.io.IOException;
import java.util.Arrays;

/**
 * The KVs of one index in one arena, unsorted until {@link #sort}. Owned by one worker until it is sealed into a
 * {@link MemoryRun}, which takes the arena along.
 *
 * <p>An entry is a header of {@value #HEADER_BYTES} bytes (lengths of key and value, sixteen bits each), the key, the
 * value. Where one of them is longer than that, both lengths stand as ints between header and key.
 */
public final class SortBuffer implements KvTarget {
    static final int HEADER_BYTES = 4;
    private static final byte[] NOTHING = {};
    private static final int WIDE_BYTES = 8;
    private static final int WIDE = 0xffff;
    private static final int FIRST_ENTRIES = 4 << 10;
    /** Room left for the KV that follows; a longer one makes the arena grow until the buffer is emptied. */
    private static final int SLACK_BYTES = 8 << 10;

    private final int arenaBytes;
    private final int maxEntries;
    private final Sorter sorter;

    /** Made when it is first needed: the last one sealed has no successor. */
    private byte[] arena = NOTHING;

    private int used;
    private int[] entries = new int[FIRST_ENTRIES];
    private int count;
    private boolean ordered = true;
    private int lastEntry = -1;

    /**
     * An empty buffer.
     *
     * @param arenaBytes how many bytes of entries to take before {@link #isFull}
     * @param maxEntries how many entries to take
     * @param sorter does the sorting; may be shared by the buffers of one worker
     */
    public SortBuffer(int arenaBytes, int maxEntries, Sorter sorter) {
        this.arenaBytes = arenaBytes;
        this.maxEntries = maxEntries;
        this.sorter = sorter;
    }

    /** Whether it is time to empty the buffer: no room is left for another KV of ordinary size. */
    public boolean isFull() {
        return used > arenaBytes - SLACK_BYTES || count >= maxEntries;
    }

    @Override
    public byte[] room(int maxBytes) {
        int needed = used + maxBytes + HEADER_BYTES + WIDE_BYTES;
        if (needed > arena.length) {
            arena = used == 0 ? new byte[Math.max(needed, arenaBytes)] : Arrays.copyOf(arena, needed);
        }
        return arena;
    }

    @Override
    public int position() {
        return used + HEADER_BYTES;
    }

    @Override
    public void added(long lengths) {
        int keyLength = (int) (lengths >>> 32);
        int valueLength = (int) lengths;
        int entry = used;
        used += entryBytes(keyLength, valueLength);
        putEntry(arena, entry, arena, entry + HEADER_BYTES, keyLength, valueLength);
        if (count == entries.length) {
            entries = Arrays.copyOf(entries, Math.min(maxEntries, 2 * count));
        }
        entries[count++] = entry;
        if (ordered && lastEntry >= 0) {
            ordered = compare(arena, lastEntry, entry) <= 0;
        }
        lastEntry = entry;
    }

    /** Whether the entries came in ascending order of their keys. */
    public boolean cameInOrder() {
        return ordered;
    }

    public boolean isEmpty() {
        return count == 0;
    }

    public int count() {
        return count;
    }

    /** Bytes of all entries. */
    public int bytes() {
        return used;
    }

    /** Sorts the entries by key, unless they came in order. */
    public void sort() {
        if (!ordered) {
            sorter.sort(arena, entries, count);
            ordered = true;
        }
    }

    /** Copies the sorted entries to a sink. */
    public void drainTo(KvSink sink) throws IOException {
        for (int i = 0; i < count; i++) {
            int entry = entries[i];
            int key = keyOffset(arena, entry);
            sink.add(arena, key, keyLength(arena, entry), valueLength(arena, entry));
        }
    }

    /** Makes the sorted entries a run that owns the arena; the buffer goes on with a new, empty one. */
    public MemoryRun seal() {
        MemoryRun run = new MemoryRun(arena, Arrays.copyOf(entries, count), used);
        arena = NOTHING;
        clear();
        return run;
    }

    /** Forgets all entries and keeps the arena. */
    public void clear() {
        if (arena.length > arenaBytes) {
            arena = NOTHING;
        }
        used = 0;
        count = 0;
        ordered = true;
        lastEntry = -1;
    }

    /** A copy of the key at a place in the present order. */
    public byte[] key(int place) {
        int offset = keyOffset(arena, entries[place]);
        return Arrays.copyOfRange(arena, offset, offset + keyLength(arena, entries[place]));
    }

    byte[] arena() {
        return arena;
    }

    /**
     * All entries in the order in which they came, {@link #bytes} of them; valid until the next one is added. What
     * reads them: {@link #keyOffset}, {@link #keyLength}, {@link #valueLength}, {@link #entryBytes(byte[], int)}.
     */
    public byte[] entries() {
        return arena;
    }

    /** How many bytes the entry at an offset takes. */
    public static int entryBytes(byte[] entries, int entry) {
        return keyOffset(entries, entry) - entry + keyLength(entries, entry) + valueLength(entries, entry);
    }

    /** How many bytes an entry takes. */
    static int entryBytes(int keyLength, int valueLength) {
        int header = keyLength >= WIDE || valueLength >= WIDE ? HEADER_BYTES + WIDE_BYTES : HEADER_BYTES;
        return header + keyLength + valueLength;
    }

    /** Writes an entry; key and value may already be where they belong. Returns where the key is. */
    static int putEntry(byte[] target, int entry, byte[] source, int keyOffset, int keyLength, int valueLength) {
        int key = entry + HEADER_BYTES;
        boolean wide = keyLength >= WIDE || valueLength >= WIDE;
        if (wide) {
            key += WIDE_BYTES;
        }
        if (source != target || keyOffset != key) {
            System.arraycopy(source, keyOffset, target, key, keyLength + valueLength);
        }
        putInt(target, entry, wide ? -1 : keyLength << 16 | valueLength);
        if (wide) {
            putInt(target, entry + HEADER_BYTES, keyLength);
            putInt(target, entry + HEADER_BYTES + Integer.BYTES, valueLength);
        }
        return key;
    }

    private static boolean isWide(byte[] arena, int entry) {
        return getInt(arena, entry) == -1;
    }

    /** Where the key of the entry at an offset begins; the value is right behind it. */
    public static int keyOffset(byte[] arena, int entry) {
        return entry + HEADER_BYTES + (isWide(arena, entry) ? WIDE_BYTES : 0);
    }

    /** Length of an entry's key. */
    public static int keyLength(byte[] arena, int entry) {
        int header = getInt(arena, entry);
        return header == -1 ? getInt(arena, entry + HEADER_BYTES) : header >>> 16;
    }

    /** Length of an entry's value. */
    public static int valueLength(byte[] arena, int entry) {
        int header = getInt(arena, entry);
        return header == -1 ? getInt(arena, entry + HEADER_BYTES + Integer.BYTES) : header & 0xffff;
    }

    static int compare(byte[] arena, int left, int right) {
        int leftKey = keyOffset(arena, left);
        int rightKey = keyOffset(arena, right);
        return Arrays.compareUnsigned(
                arena, leftKey, leftKey + keyLength(arena, left), arena, rightKey, rightKey + keyLength(arena, right));
    }

    private static int getInt(byte[] buffer, int offset) {
        return (int) Keys.INT.get(buffer, offset);
    }

    private static void putInt(byte[] buffer, int offset, int value) {
        Keys.INT.set(buffer, offset, value);
    }
}
