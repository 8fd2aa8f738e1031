package io.sluice.model.kv;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A span of keys {@code [start, end)} in unsigned byte order. The arrays are not copied: do not change them.
 *
 * @param start inclusive start
 * @param end exclusive end
 */
@SuppressWarnings("ArrayRecordComponent")
public record KeySpan(byte[] start, byte[] end) {
    public static final KeySpan ALL = new KeySpan(new byte[0], prefixEnd(new byte[0]));

    /** The span of all keys that begin with a prefix. */
    public static KeySpan ofPrefix(byte[] prefix) {
        return new KeySpan(prefix, prefixEnd(prefix));
    }

    /**
     * The smallest key above every key that starts with {@code prefix}: increments the last byte that is not ff and
     * drops the rest. An empty prefix gives ffff. A prefix of only ff is returned as it is, because no key is above.
     */
    public static byte[] prefixEnd(byte[] prefix) {
        if (prefix.length == 0) {
            return new byte[] {(byte) 0xff, (byte) 0xff};
        }
        for (int i = prefix.length - 1; i >= 0; i--) {
            if (prefix[i] != (byte) 0xff) {
                byte[] end = Arrays.copyOf(prefix, i + 1);
                end[i]++;
                return end;
            }
        }
        return prefix.clone();
    }

    /** The union of spans: ascending, none of them empty, and no two that overlap or touch. */
    public static List<KeySpan> union(List<KeySpan> spans) {
        List<KeySpan> ascending = merged(spans);
        if (ascending != null) {
            return ascending;
        }
        List<KeySpan> sorted = new ArrayList<>(spans);
        sorted.sort(Comparator.comparing(KeySpan::start, Arrays::compareUnsigned));
        return Objects.requireNonNull(merged(sorted));
    }

    /** Merges spans that overlap or touch; returns null if the spans do not ascend. */
    private static @Nullable List<KeySpan> merged(List<KeySpan> spans) {
        List<KeySpan> merged = new ArrayList<>(spans.size());
        KeySpan last = null;
        for (KeySpan span : spans) {
            if (Arrays.compareUnsigned(span.start(), span.end()) >= 0) {
                continue;
            }
            if (last == null || Arrays.compareUnsigned(last.end(), span.start()) < 0) {
                merged.add(span);
                last = span;
            } else if (Arrays.compareUnsigned(last.start(), span.start()) > 0) {
                return null;
            } else if (Arrays.compareUnsigned(last.end(), span.end()) < 0) {
                last = new KeySpan(last.start(), span.end());
                merged.set(merged.size() - 1, last);
            }
        }
        return Collections.unmodifiableList(merged);
    }

    /** Cuts off the keys below {@code key}. The result is empty if its start is not below its end. */
    public KeySpan from(byte[] key) {
        return Arrays.compareUnsigned(start, key) < 0 ? new KeySpan(key, end) : this;
    }

    public boolean contains(byte[] key) {
        return Arrays.compareUnsigned(start, key) <= 0 && Arrays.compareUnsigned(key, end) < 0;
    }

    /** Whether the key that {@code buffer} holds from an offset on is in the span. */
    public boolean contains(byte[] buffer, int offset, int length) {
        int to = offset + length;
        return Arrays.compareUnsigned(start, 0, start.length, buffer, offset, to) <= 0
                && Arrays.compareUnsigned(buffer, offset, to, end, 0, end.length) < 0;
    }

    public boolean overlaps(KeySpan other) {
        return Arrays.compareUnsigned(start, other.end) < 0 && Arrays.compareUnsigned(other.start, end) < 0;
    }

    /** The intersection with another span; may be empty. */
    public KeySpan common(KeySpan other) {
        byte[] from = Arrays.compareUnsigned(start, other.start) >= 0 ? start : other.start;
        byte[] to = Arrays.compareUnsigned(end, other.end) <= 0 ? end : other.end;
        return new KeySpan(from, Arrays.compareUnsigned(from, to) <= 0 ? to : from);
    }

    /** The non-empty intersections with other spans. */
    public List<KeySpan> common(List<KeySpan> others) {
        return others.stream().filter(this::overlaps).map(this::common).toList();
    }

    @Override
    public boolean equals(Object o) {
        return o instanceof KeySpan other && Arrays.equals(start, other.start) && Arrays.equals(end, other.end);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(start) + Arrays.hashCode(end);
    }

    @Override
    public String toString() {
        HexFormat hex = HexFormat.of();
        return "[" + hex.formatHex(start) + ", " + hex.formatHex(end) + ")";
    }
}
