package io.sluice.sql.transaction;

import io.sluice.model.kv.KeySpan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An immutable set of keys, stored as spans.
 *
 * <p>Invariant: the spans ascend, none is empty, and no two overlap or touch.
 */
public final class SpanSet {
    /** No keys. */
    public static final SpanSet EMPTY = new SpanSet(List.of());

    /** Memory of a span without its keys: two arrays and the record. */
    private static final int SPAN_OVERHEAD_BYTES = 64;

    private final List<KeySpan> spans;

    private SpanSet(List<KeySpan> spans) {
        this.spans = spans;
    }

    /** Returns the union of the spans. */
    public static SpanSet of(List<KeySpan> spans) {
        return new SpanSet(KeySpan.union(spans));
    }

    /** Returns the span that contains only this key. */
    public static KeySpan point(byte[] key) {
        return new KeySpan(key, Arrays.copyOf(key, key.length + 1));
    }

    /** The spans, ascending. */
    public List<KeySpan> spans() {
        return spans;
    }

    /** Returns the union of both sets. */
    public SpanSet plus(SpanSet other) {
        List<KeySpan> all = new ArrayList<>(spans);
        all.addAll(other.spans);
        return of(all);
    }

    /** Whether the sets have a key in common. */
    public boolean intersects(SpanSet other) {
        if (spans.size() > other.spans.size()) {
            return other.intersects(this);
        }
        return spans.stream().anyMatch(other::intersects);
    }

    private boolean intersects(KeySpan span) {
        int first = firstEndingAfter(span.start());
        return first < spans.size() && spans.get(first).overlaps(span);
    }

    private int firstEndingAfter(byte[] key) {
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

    /** Returns the span that contains a key, or null. */
    @Nullable
    KeySpan spanOf(byte[] key) {
        int first = firstEndingAfter(key);
        return first < spans.size() && spans.get(first).contains(key) ? spans.get(first) : null;
    }

    /**
     * Returns a superset of at most {@code mostSpans} spans, by joining neighbours together with the keys in between.
     */
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

    /** Estimated memory in bytes. */
    long bytes() {
        return spans.stream().mapToLong(SpanSet::bytes).sum();
    }

    /** Estimated memory of a span in bytes. */
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
