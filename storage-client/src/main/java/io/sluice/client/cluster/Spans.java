package io.sluice.client.cluster;

import io.sluice.model.kv.KeySpan;
import java.util.Arrays;
import java.util.List;

/** Intersects key spans. */
final class Spans {
    private Spans() {}

    /** The non-empty intersections of a span with others. */
    static List<KeySpan> common(KeySpan span, List<KeySpan> others) {
        return others.stream()
                .filter(span::overlaps)
                .map(other -> common(span, other))
                .toList();
    }

    /** The intersection of two spans; may be empty. */
    static KeySpan common(KeySpan a, KeySpan b) {
        byte[] start = Arrays.compareUnsigned(a.start(), b.start()) >= 0 ? a.start() : b.start();
        byte[] end = Arrays.compareUnsigned(a.end(), b.end()) <= 0 ? a.end() : b.end();
        return new KeySpan(start, Arrays.compareUnsigned(start, end) <= 0 ? end : start);
    }
}
