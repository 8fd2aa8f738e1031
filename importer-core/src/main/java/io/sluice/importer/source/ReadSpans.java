package io.sluice.importer.source;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The spans of all inputs that earlier runs have read, by the ordinals of the inputs; adjacent spans are joined.
 * Immutable.
 */
public final class ReadSpans {
    /** No spans. */
    public static final ReadSpans NONE = new ReadSpans(Map.of());

    private final Map<Integer, List<ReadSpan>> byInput;

    /**
     * Joins spans that do not overlap, in any order.
     *
     * @param byInput the spans by the ordinals of their inputs
     */
    public ReadSpans(Map<Integer, List<ReadSpan>> byInput) {
        Map<Integer, List<ReadSpan>> joined = new TreeMap<>();
        byInput.forEach((input, spans) -> joined.put(input, join(spans)));
        this.byInput = joined;
    }

    private static List<ReadSpan> join(List<ReadSpan> spans) {
        List<ReadSpan> sorted = new ArrayList<>(spans);
        sorted.sort(Comparator.comparingLong(ReadSpan::start).thenComparingLong(ReadSpan::end));
        List<ReadSpan> joined = new ArrayList<>();
        for (ReadSpan span : sorted) {
            int before = joined.size() - 1;
            if (before >= 0 && joined.get(before).isFollowedBy(span)) {
                joined.set(before, joined.get(before).join(span));
            } else if (before >= 0 && span.start() < joined.get(before).end()) {
                throw new IllegalArgumentException(span + " overlaps " + joined.get(before));
            } else {
                joined.add(span);
            }
        }
        return joined;
    }

    /** The spans of one input, ascending; a new collection. */
    Deque<ReadSpan> of(InputFile input) {
        return new ArrayDeque<>(byInput.getOrDefault(input.ordinal(), List.of()));
    }

    /** Whether an input of one part was read to its end. */
    public boolean whole(int input) {
        List<ReadSpan> spans = byInput.getOrDefault(input, List.of());
        return !spans.isEmpty() && spans.get(0).wholeInput();
    }

    /** All spans by the ordinals of their inputs, ascending. */
    public Map<Integer, List<ReadSpan>> byInput() {
        return byInput;
    }

    /** Whether bytes of a span that is not empty were read, or an empty span's place is within one that was. */
    public boolean overlaps(int input, ReadSpan other) {
        return byInput.getOrDefault(input, List.of()).stream()
                .anyMatch(
                        span -> span.start() < Math.max(other.end(), other.start() + 1) && other.start() < span.end());
    }

    /** Whether a byte offset of an input's text is in one of the spans. */
    public boolean contains(int input, long byteOffset) {
        return byInput.getOrDefault(input, List.of()).stream()
                .anyMatch(span -> span.start() <= byteOffset && (byteOffset < span.end()));
    }
}
