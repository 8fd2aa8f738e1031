package io.sluice.node.transaction;

import io.sluice.api.kv.KeySpan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A set of keys as spans. Immutable.
 *
 * <p>Invariant: the spans are in order, not empty, and no two of them overlap or touch.
 */
public final class SpanSet {
    /** No keys. */
    public static final SpanSet EMPTY = new SpanSet(List.of());

    /** What a span takes besides its keys: two arrays and the record. */
    private static final int SPAN_OVERHEAD_BYTES = 64;

    private final List<KeySpan> spans;

    private SpanSet(List<KeySpan> spans) {
        this.spans = spans;
    }

    /** All keys that are in any of the spans. */
    public static SpanSet of(List<KeySpan> spans) {
        SpanSet ascending = joined(spans);
        if (ascending != null) {
            return ascending;
        }
        List<KeySpan> sorted = new ArrayList<>(spans);
        sorted.sort(Comparator.comparing(KeySpan::start, Arrays::compareUnsigned));
        return Objects.requireNonNull(joined(sorted));
    }

    /** Those that overlap or touch as one; null when they do not come in order. */
    private static @Nullable SpanSet joined(List<KeySpan> spans) {
        List<KeySpan> joined = new ArrayList<>(spans.size());
        KeySpan last = null;
        for (KeySpan span : spans) {
            if (Arrays.compareUnsigned(span.start(), span.end()) >= 0) {
                continue;
            }
            if (last == null || Arrays.compareUnsigned(last.end(), span.start()) < 0) {
                joined.add(span);
                last = span;
            } else if (Arrays.compareUnsigned(last.start(), span.start()) > 0) {
                return null;
            } else if (Arrays.compareUnsigned(last.end(), span.end()) < 0) {
                last = new KeySpan(last.start(), span.end());
                joined.set(joined.size() - 1, last);
            }
        }
        return new SpanSet(Collections.unmodifiableList(joined));
    }

    /** The span of one key alone. */
    public static KeySpan point(byte[] key) {
        return new KeySpan(key, Arrays.copyOf(key, key.length + 1));
    }

    /** The spans, ascending. */
    public List<KeySpan> spans() {
        return spans;
    }

    /** Keys that are in this set or the other. */
    public SpanSet plus(SpanSet other) {
        List<KeySpan> all = new ArrayList<>(spans);
        all.addAll(other.spans);
        return of(all);
    }

    /** Whether some key is in both sets. */
    public boolean meets(SpanSet other) {
        if (spans.size() > other.spans.size()) {
            return other.meets(this);
        }
        return spans.stream().anyMatch(other::meets);
    }

    private boolean meets(KeySpan span) {
        int first = firstEndingBehind(span.start());
        return first < spans.size() && spans.get(first).overlaps(span);
    }

    private int firstEndingBehind(byte[] key) {
        int low = 0;
        int high = spans.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (Arrays.compareUnsigned(spans.get(middle).end(), key) <= 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** The span that a key is in, or null. */
    @Nullable
    KeySpan spanOf(byte[] key) {
        int first = firstEndingBehind(key);
        return first < spans.size() && spans.get(first).contains(key) ? spans.get(first) : null;
    }

    /** A set of at most so many spans that has all keys of this one, and those in between of neighbours. */
    SpanSet coarse(int mostSpans) {
        if (spans.size() <= mostSpans) {
            return this;
        }
        int each = (spans.size() + mostSpans - 1) / mostSpans;
        List<KeySpan> fewer = new ArrayList<>();
        for (int i = 0; i < spans.size(); i += each) {
            int last = Math.min(spans.size(), i + each) - 1;
            fewer.add(new KeySpan(spans.get(i).start(), spans.get(last).end()));
        }
        return new SpanSet(List.copyOf(fewer));
    }

    /** About how much memory it takes. */
    long bytes() {
        return spans.stream().mapToLong(SpanSet::bytes).sum();
    }

    /** About how much memory a span takes. */
    public static long bytes(KeySpan span) {
        return SPAN_OVERHEAD_BYTES + (long) span.start().length + span.end().length;
    }

    @Override
    public boolean equals(Object o) {
        return o instanceof SpanSet other && spans.equals(other.spans);
    }

    @Override
    public int hashCode() {
        return spans.hashCode();
    }

    @Override
    public String toString() {
        return spans.toString();
    }
}
