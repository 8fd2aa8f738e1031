package io.sluice.node.read;

import io.sluice.api.error.BadInputException;
import io.sluice.api.kv.KeySpan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** What key spans have in common. */
final class Spans {
    private Spans() {}

    /** The keys that are in both spans; empty, with an end that is not above its start, when there are none. */
    static KeySpan common(KeySpan a, KeySpan b) {
        byte[] start = Arrays.compareUnsigned(a.start(), b.start()) >= 0 ? a.start() : b.start();
        byte[] end = Arrays.compareUnsigned(a.end(), b.end()) <= 0 ? a.end() : b.end();
        return new KeySpan(start, end);
    }

    static boolean empty(KeySpan span) {
        return Arrays.compareUnsigned(span.start(), span.end()) >= 0;
    }

    /** The parts of a span that lie in these others. */
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
     * Checks that no key is in two of them.
     *
     * @throws BadInputException when one is
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
}
