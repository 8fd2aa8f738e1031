package io.sluice.importer.sort;

import io.sluice.importer.encode.KvTarget;
import java.io.IOException;
import java.util.Arrays;

/**
 * The KVs of one index in one arena, unsorted until {@link #sort}. Owned by one worker until it is sealed into a
 * {@link MemoryRun}, which takes the arena.
 *
 * <p>An entry is a header of {@value #HEADER_BYTES} bytes (lengths of key and value, sixteen bits each), the key, the
 * value. If a length does not fit sixteen bits, both lengths are ints between header and key.
 */
public final class SortBuffer implements KvTarget {
    static final int HEADER_BYTES = 4;
    private static final byte[] NOTHING = {};
    private static final int WIDE_BYTES = 8;
    private static final int WIDE = 0xffff;
    private static final int FIRST_ENTRIES = 4 << 10;

    /** Number of entries that {@link #readAhead} reads at a time. */
    static final int AHEAD = 8;

    private static final int CACHE_LINE_BYTES = 64;
    /** Most bytes of an entry that are read ahead; beyond them the processor reads ahead by itself. */
    private static final int MOST_AHEAD_BYTES = 512;

    /** Room for the next KV; a longer KV makes the arena grow until the buffer is emptied. */
    private static final int SLACK_BYTES = 8 << 10;

    private final int arenaBytes;
    private final int maxEntries;
    private final Sorter sorter;

    /** Allocated when first needed, since the last sealed arena has no successor. */
    private byte[] arena = NOTHING;

    private int used;
    private int[] entries = new int[FIRST_ENTRIES];
    private int count;
    private boolean ordered = true;
    /** Before the first entry, that one itself. */
    private int lastEntry;
    /** Sum of the results of {@link #readAhead}. */
    @SuppressWarnings("UnusedVariable")
    private int readAhead;

    /**
     * Creates an empty buffer.
     *
     * @param arenaBytes bytes of entries at which the buffer is full
     * @param maxEntries number of entries at which the buffer is full
     * @param sorter sorts the entries; the buffers of one worker may share it
     */
    public SortBuffer(int arenaBytes, int maxEntries, Sorter sorter) {
        this.arenaBytes = arenaBytes;
        this.maxEntries = maxEntries;
        this.sorter = sorter;
    }

    /** Whether the buffer must be emptied, since a KV of ordinary size may not fit any more. */
    public boolean isFull() {
        return used > arenaBytes - SLACK_BYTES || count >= maxEntries;
    }

    /** Whether the buffer has half of its bytes or entries. */
    public boolean isHalfFull() {
        return used >= arenaBytes / 2 || count >= maxEntries / 2;
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
        if (ordered) {
            ordered = compare(arena, lastEntry, entry) <= 0;
        }
        lastEntry = entry;
    }

    /** Whether the entries were added in ascending order of their keys. */
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
        int entryBytes = used / Math.max(1, count);
        for (int i = 0; i < count; i++) {
            if (i % AHEAD == 0) {
                readAhead += readAhead(arena, entries, i, count, entryBytes);
            }
            int entry = entries[i];
            int key = keyOffset(arena, entry);
            sink.add(arena, key, keyLength(arena, entry), valueLength(arena, entry));
        }
    }

    /**
     * Reads up to {@value #AHEAD} entries into the processor's cache. Sorted entries are all over the arena, so each of
     * them would wait for memory; here they wait together.
     *
     * @param end end of the entries that will be read
     * @param entryBytes length of an entry on average
     * @return a number that the caller keeps, or the JVM would leave the reads out
     */
    static int readAhead(byte[] arena, int[] entries, int from, int end, int entryBytes) {
        int sum = 0;
        int length = Math.min(entryBytes, MOST_AHEAD_BYTES);
        for (int i = from; i < Math.min(end, from + AHEAD); i++) {
            int entryEnd = Math.min(entries[i] + length, arena.length);
            for (int at = entries[i]; at < entryEnd; at += CACHE_LINE_BYTES) {
                sum += arena[at];
            }
        }
        return sum;
    }

    /** Turns the sorted entries into a run that owns the arena; the buffer is empty afterwards, with a new arena. */
    public MemoryRun seal() {
        MemoryRun run = new MemoryRun(arena, Arrays.copyOf(entries, count), used);
        arena = NOTHING;
        clear();
        return run;
    }

    /** Removes all entries and keeps the arena. */
    public void clear() {
        if (arena.length > arenaBytes) {
            arena = NOTHING;
        }
        used = 0;
        count = 0;
        ordered = true;
        lastEntry = 0;
    }

    /** Copies the key at a position in the current order. */
    public byte[] key(int place) {
        int offset = keyOffset(arena, entries[place]);
        return Arrays.copyOfRange(arena, offset, offset + keyLength(arena, entries[place]));
    }

    byte[] arena() {
        return arena;
    }

    /**
     * All entries in the order of adding, {@link #bytes} of them; valid until the next one is added. Read them with
     * {@link #keyOffset}, {@link #keyLength}, {@link #valueLength} and {@link #entryBytes(byte[], int)}.
     */
    public byte[] entries() {
        return arena;
    }

    /** Length in bytes of the entry at an offset. */
    public static int entryBytes(byte[] entries, int entry) {
        return keyOffset(entries, entry) - entry + keyLength(entries, entry) + valueLength(entries, entry);
    }

    public static int entryBytes(int keyLength, int valueLength) {
        int header = keyLength >= WIDE || valueLength >= WIDE ? HEADER_BYTES + WIDE_BYTES : HEADER_BYTES;
        return header + keyLength + valueLength;
    }

    /** Writes an entry; key and value may be in place already. Returns the offset of the key. */
    public static int putEntry(byte[] target, int entry, byte[] source, int keyOffset, int keyLength, int valueLength) {
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

    /** Offset of an entry's key; the value is right after the key. */
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
