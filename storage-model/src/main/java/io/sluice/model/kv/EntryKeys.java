package io.sluice.model.kv;

import java.util.Arrays;

/**
 * The keys of the KVs of one index entry, which differ in the suffix of the column family alone. A suffix ends with its
 * length: its last byte minus 0x88 is the number of bytes before that one. So a key of family 0, whose suffix is one
 * byte, ends with 0x88, and no other key does.
 */
public final class EntryKeys {
    private EntryKeys() {}

    /** Whether a key inside a buffer is that of family 0, the first of its entry. */
    public static boolean first(byte[] buffer, int keyOffset, int keyLength) {
        return keyLength > 0 && buffer[keyOffset + keyLength - 1] == (byte) KeyEncoding.FAMILY_ZERO_SUFFIX;
    }

    /** Whether a key is that of family 0, the first of its entry. */
    public static boolean first(byte[] key) {
        return first(key, 0, key.length);
    }

    /** Length of the part of a key that all KVs of its entry share. */
    public static int sharedBytes(byte[] buffer, int keyOffset, int keyLength) {
        if (keyLength == 0) {
            return 0;
        }
        int suffix = (buffer[keyOffset + keyLength - 1] & 0xff) - KeyEncoding.FAMILY_ZERO_SUFFIX + 1;
        return suffix < 1 || suffix > keyLength ? 0 : keyLength - suffix;
    }

    /** Whether two keys are of one entry. */
    public static boolean same(byte[] key, byte[] other) {
        int shared = sharedBytes(key, 0, key.length);
        return shared == sharedBytes(other, 0, other.length) && Arrays.equals(key, 0, shared, other, 0, shared);
    }

    /**
     * The key of the first KV of a key's entry: a border between entries, and so one at which keys may be cut. Itself,
     * if it is the first; an array that is no key comes back unchanged.
     */
    public static byte[] start(byte[] key) {
        int shared = sharedBytes(key, 0, key.length);
        if (shared == 0 || shared == key.length - 1) {
            return key;
        }
        byte[] start = Arrays.copyOf(key, shared + 1);
        start[shared] = (byte) KeyEncoding.FAMILY_ZERO_SUFFIX;
        return start;
    }

    /** The least key after all KVs of a key's entry, and before those of rows interleaved in it. */
    public static byte[] end(byte[] key) {
        byte[] end = start(key).clone();
        if (end.length > 0) {
            end[end.length - 1] = (byte) KeyEncoding.INTERLEAVED_SENTINEL;
        }
        return end;
    }
}
