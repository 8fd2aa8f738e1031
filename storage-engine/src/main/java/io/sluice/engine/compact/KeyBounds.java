package io.sluice.engine.compact;

import io.sluice.model.kv.KeySpan;
import java.util.Arrays;

/**
 * The first and the last key of a file or a group of files, both inclusive, in unsigned byte order. The arrays are not
 * copied, and must not be changed.
 *
 * @param smallest the first key
 * @param largest the last key, inclusive
 */
@SuppressWarnings("ArrayRecordComponent")
public record KeyBounds(byte[] smallest, byte[] largest) {
    /** Refuses bounds that end before they begin. */
    public KeyBounds {
        if (Arrays.compareUnsigned(smallest, largest) > 0) {
            throw new IllegalArgumentException(
                    "bounds end before they begin: " + KeyLabel.of(smallest) + " > " + KeyLabel.of(largest));
        }
    }

    /** Whether the bounds share a key. */
    public boolean overlaps(KeyBounds other) {
        return Arrays.compareUnsigned(smallest, other.largest) <= 0
                && Arrays.compareUnsigned(other.smallest, largest) <= 0;
    }

    /** Whether these bounds contain the others. */
    public boolean covers(KeyBounds other) {
        return Arrays.compareUnsigned(smallest, other.smallest) <= 0
                && Arrays.compareUnsigned(other.largest, largest) <= 0;
    }

    /** The narrowest bounds that contain both, and the keys between them. */
    public KeyBounds hull(KeyBounds other) {
        byte[] from = Arrays.compareUnsigned(smallest, other.smallest) <= 0 ? smallest : other.smallest;
        byte[] to = Arrays.compareUnsigned(largest, other.largest) >= 0 ? largest : other.largest;
        return new KeyBounds(from, to);
    }

    /** The same keys as a half-open span: it ends at the successor of the last key, which has one more zero byte. */
    public KeySpan span() {
        return new KeySpan(smallest, Arrays.copyOf(largest, largest.length + 1));
    }

    @Override
    public boolean equals(Object o) {
        return o instanceof KeyBounds other
                && Arrays.equals(smallest, other.smallest)
                && Arrays.equals(largest, other.largest);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(smallest) + Arrays.hashCode(largest);
    }

    @Override
    public String toString() {
        return "[" + KeyLabel.of(smallest) + ", " + KeyLabel.of(largest) + "]";
    }
}
