package io.sluice.node.read;

import io.sluice.engine.store.LsmFile;
import io.sluice.model.error.BadInputException;
import io.sluice.model.kv.KeySpan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** Intersects and cuts key spans. */
final class Spans {
    private Spans() {}

    /** The intersection of two spans. If it is empty, its end is not above its start. */
    static KeySpan common(KeySpan a, KeySpan b) {
        byte[] start = Arrays.compareUnsigned(a.start(), b.start()) >= 0 ? a.start() : b.start();
        byte[] end = Arrays.compareUnsigned(a.end(), b.end()) <= 0 ? a.end() : b.end();
        return new KeySpan(start, end);
    }

    static boolean empty(KeySpan span) {
        return Arrays.compareUnsigned(span.start(), span.end()) >= 0;
    }

    /** The intersections of a span with other spans. */
    static List<KeySpan> within(KeySpan span, List<KeySpan> others) {
        List<KeySpan> parts = new ArrayList<>();
        for (KeySpan other : others) {
            KeySpan common = common(span, other);
            if (!empty(common)) {
                parts.add(common);
            }
        }
        return parts;
    }

    /**
     * Checks that spans do not overlap.
     *
     * @throws BadInputException when two overlap
     */
    static void checkApart(List<KeySpan> spans) {
        List<KeySpan> sorted = new ArrayList<>(spans);
        sorted.sort(Comparator.comparing(KeySpan::start, Arrays::compareUnsigned));
        for (int i = 1; i < sorted.size(); i++) {
            if (sorted.get(i - 1).overlaps(sorted.get(i))) {
                throw new BadInputException("the spans " + sorted.get(i - 1) + " and " + sorted.get(i)
                        + " share keys, which would be counted twice; ask for spans that do not overlap");
            }
        }
    }

    /**
     * Cuts a span at first keys of SSTs into parts with about equal numbers of files, for parallel reads.
     *
     * @param most largest number of parts
     * @return parts in key order that cover the span
     */
    static List<KeySpan> cut(KeySpan span, List<LsmFile> files, int most) {
        List<byte[]> starts = files.stream()
                .map(file -> file.bounds().smallest())
                .filter(key -> span.contains(key) && !Arrays.equals(key, span.start()))
                .sorted(Arrays::compareUnsigned)
                .toList();
        List<KeySpan> parts = new ArrayList<>();
        byte[] from = span.start();
        for (int part = 1; part < most; part++) {
            int at = (int) ((long) part * starts.size() / most);
            if (at < starts.size() && Arrays.compareUnsigned(from, starts.get(at)) < 0) {
                parts.add(new KeySpan(from, starts.get(at)));
                from = starts.get(at);
            }
        }
        parts.add(new KeySpan(from, span.end()));
        return parts;
    }
}
