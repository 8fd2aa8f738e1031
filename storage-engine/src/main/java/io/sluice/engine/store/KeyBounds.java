package io.sluice.engine.store;

import io.sluice.model.kv.KeySpan;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.HexFormat;

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
                    "bounds end before they begin: " + label(smallest) + " > " + label(largest));
        }
    }

    /** A key for people: as text when every byte is printable ASCII, else in hex. */
    public static String label(byte[] key) {
        for (byte b : key) {
            if (b <= ' ' || b > '~') {
                return HexFormat.of().formatHex(key);
            }
        }
        return new String(key, StandardCharsets.US_ASCII);
    }

    /** Whether the bounds share a key. */
    public boolean overlaps(KeyBounds other) {
        return Arrays.compareUnsigned(smallest, other.largest) <= 0
                && Arrays.compareUnsigned(other.smallest, largest) <= 0;
    }

    /** The largest number of bounds that share a key. Sorts first and last keys and merges them, n log n. */
    public static int maxHeight(Collection<KeyBounds> all) {
        byte[][] begins = all.stream().map(KeyBounds::smallest).toArray(byte[][]::new);
        byte[][] ends = all.stream().map(KeyBounds::largest).toArray(byte[][]::new);
        Arrays.sort(begins, Arrays::compareUnsigned);
        Arrays.sort(ends, Arrays::compareUnsigned);
        int max = 0;
        int ended = 0;
        for (int begun = 0; begun < begins.length; begun++) {
            // Spans include their last key: a span that ends where another begins covers that key.
            while (Arrays.compareUnsigned(ends[ended], begins[begun]) < 0) {
                ended++;
            }
            max = Math.max(max, begun + 1 - ended);
        }
        return max;
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
        return "[" + label(smallest) + ", " + label(largest) + "]";
    }
}
