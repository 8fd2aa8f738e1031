package io.sluice.importer.sst.table;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Builder of one block, whose keys omit the prefix that they share with the previous key. It grows as needed and is
 * reusable after {@link #clear}.
 */
final class Block {
    private final int restartInterval;
    private byte[] buffer;
    private int length;
    private int[] restarts = new int[1 << 4];
    private int restartCount = 1;
    /** Entries since the last restart point. */
    private int sinceRestart;

    private byte[] lastKey = new byte[1 << 7];
    private int lastKeyLength;

    /**
     * An empty block.
     *
     * @param restartInterval number of entries from one whole key to the next
     */
    Block(int restartInterval, int capacityBytes) {
        this.restartInterval = restartInterval;
        buffer = new byte[capacityBytes];
    }

    boolean isEmpty() {
        return length == 0;
    }

    /** Size in bytes that the block would have after {@link #finish}. */
    int sizeBytes() {
        return length + Integer.BYTES * (restartCount + 1);
    }

    /** An upper bound on {@link #sizeBytes} after one more entry, as RocksDB estimates it. */
    int sizeBytesWith(int keyLength, int valueLength) {
        return sizeBytes()
                + keyLength
                + valueLength
                + (sinceRestart >= restartInterval ? Integer.BYTES : 0)
                + Integer.BYTES
                + Varint.length(keyLength)
                + Varint.length(valueLength);
    }

    /**
     * Appends an entry; keys ascend.
     *
     * @param key the whole key, from its first byte
     * @param source holds the value
     */
    void add(byte[] key, int keyLength, byte[] source, int valueOffset, int valueLength) {
        int shared = startEntry(key, keyLength, 3 * Varint.MAX_INT_BYTES + keyLength + valueLength);
        length = Varint.put(buffer, length, shared);
        length = Varint.put(buffer, length, keyLength - shared);
        length = Varint.put(buffer, length, valueLength);
        appendKey(key, shared, keyLength);
        System.arraycopy(source, valueOffset, buffer, length, valueLength);
        length += valueLength;
    }

    /** Appends an entry of properties or of the meta index. */
    void add(String name, byte[] value) {
        byte[] key = name.getBytes(StandardCharsets.US_ASCII);
        add(key, key.length, value, 0, value.length);
    }

    /** Appends an entry of the index. Its value is a block handle, which encodes its own length. */
    void addHandle(byte[] key, int keyLength, long blockOffset, long blockBytes) {
        int shared = startEntry(key, keyLength, 2 * (Varint.MAX_INT_BYTES + Varint.MAX_LONG_BYTES) + keyLength);
        length = Varint.put(buffer, length, shared);
        length = Varint.put(buffer, length, keyLength - shared);
        appendKey(key, shared, keyLength);
        length = Varint.put(buffer, length, blockOffset);
        length = Varint.put(buffer, length, blockBytes);
    }

    /** Makes room, sets a restart point if one is due, and returns the length of the shared key prefix. */
    private int startEntry(byte[] key, int keyLength, int atMostBytes) {
        ensure(atMostBytes);
        int shared = 0;
        if (sinceRestart >= restartInterval) {
            if (restartCount == restarts.length) {
                restarts = Arrays.copyOf(restarts, 2 * restartCount);
            }
            restarts[restartCount++] = length;
            sinceRestart = 0;
        } else {
            int mismatch = Arrays.mismatch(key, 0, keyLength, lastKey, 0, lastKeyLength);
            shared = mismatch < 0 ? keyLength : mismatch;
        }
        sinceRestart++;
        return shared;
    }

    private void appendKey(byte[] key, int shared, int keyLength) {
        System.arraycopy(key, shared, buffer, length, keyLength - shared);
        length += keyLength - shared;
        if (keyLength > lastKey.length) {
            lastKey = new byte[2 * keyLength];
            System.arraycopy(key, 0, lastKey, 0, keyLength);
        } else {
            System.arraycopy(key, shared, lastKey, shared, keyLength - shared);
        }
        lastKeyLength = keyLength;
    }

    /** Appends the restart points; {@link #bytes} then holds the whole block. */
    void finish() {
        ensure(Integer.BYTES * (restartCount + 1));
        for (int i = 0; i < restartCount; i++) {
            length = LittleEndian.putInt(buffer, length, restarts[i]);
        }
        length = LittleEndian.putInt(buffer, length, restartCount);
    }

    /** The block's own memory, valid up to {@link #length} until the block changes. */
    byte[] bytes() {
        return buffer;
    }

    int length() {
        return length;
    }

    void clear() {
        length = 0;
        restartCount = 1;
        sinceRestart = 0;
        lastKeyLength = 0;
    }

    private void ensure(int moreBytes) {
        if (buffer.length - length < moreBytes) {
            buffer = Arrays.copyOf(buffer, Math.max(2 * buffer.length, Math.addExact(length, moreBytes)));
        }
    }
}
