package io.sluice.engine.compact;

import io.sluice.engine.store.LsmFile;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;

/**
 * The key space, cut at the first and last keys of files. Keys and the gaps between them are numbered slots: slot 0 is
 * before the first key, slot 2i+1 is key i, slot 2i+2 the gap after it. The files over a key are the same in all of a
 * slot.
 */
final class KeyAxis {
    private static final Comparator<byte[]> ORDER = Arrays::compareUnsigned;

    private final byte[][] keys;

    private KeyAxis(byte[][] keys) {
        this.keys = keys;
    }

    static KeyAxis of(Collection<LsmFile> files) {
        byte[][] ends = new byte[2 * files.size()][];
        int n = 0;
        for (LsmFile file : files) {
            ends[n++] = file.bounds().smallest();
            ends[n++] = file.bounds().largest();
        }
        Arrays.sort(ends, ORDER);
        int distinct = 0;
        for (byte[] end : ends) {
            if (distinct == 0 || !Arrays.equals(ends[distinct - 1], end)) {
                ends[distinct++] = end;
            }
        }
        return new KeyAxis(Arrays.copyOf(ends, distinct));
    }

    int keys() {
        return keys.length;
    }

    byte[] key(int index) {
        return keys[index];
    }

    int slots() {
        return 2 * keys.length + 1;
    }

    /** The index of a key that is the first or last of a file, else negative. */
    int indexOf(byte[] key) {
        return Arrays.binarySearch(keys, key, ORDER);
    }

    /** The slot of a key. */
    int slotOf(byte[] key) {
        int index = indexOf(key);
        return index >= 0 ? 2 * index + 1 : 2 * (-index - 1);
    }
}
