package io.sluice.importer.cluster;

import io.sluice.api.kv.KeySpan;
import java.util.Arrays;
import java.util.List;

/** What key spans have in common. */
final class Spans {
    private Spans() {}

    /** The parts of a span that are also in others, without empty ones. */
    static List<KeySpan> common(KeySpan span, List<KeySpan> others) {
        return others.stream()
                .filter(span::overlaps)
                .map(other -> common(span, other))
                .toList();
    }

    /** The keys that are in both; an empty span when there are none. */
    static KeySpan common(KeySpan a, KeySpan b) {
        byte[] start = Arrays.compareUnsigned(a.start(), b.start()) >= 0 ? a.start() : b.start();
        byte[] end = Arrays.compareUnsigned(a.end(), b.end()) <= 0 ? a.end() : b.end();
        return new KeySpan(start, Arrays.compareUnsigned(start, end) <= 0 ? end : start);
    }
}
