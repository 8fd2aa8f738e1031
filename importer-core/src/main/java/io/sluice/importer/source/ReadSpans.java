package io.sluice.importer.source;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What was read of all inputs before: spans by the ordinals of their inputs, joined where they meet. Immutable. */
public final class ReadSpans {
    /** Nothing was read. */
    public static final ReadSpans NONE = new ReadSpans(Map.of());

    private final Map<Integer, List<ReadSpan>> byInput;

    /**
     * Spans that do not overlap, in any order.
     *
     * @param byInput by the ordinals of the inputs they lie in
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
            if (before >= 0 && joined.get(before).meets(span)) {
                joined.set(before, joined.get(before).and(span));
            } else if (before >= 0 && span.start() < joined.get(before).end()) {
                throw new IllegalArgumentException(span + " overlaps " + joined.get(before));
            } else {
                joined.add(span);
            }
        }
        return joined;
    }

    /** The spans of one input, ascending. */
    Deque<ReadSpan> of(InputFile input) {
        return new ArrayDeque<>(byInput.getOrDefault(input.ordinal(), List.of()));
    }

    /** Whether an input was read to its end. */
    public boolean whole(int input) {
        List<ReadSpan> spans = byInput.getOrDefault(input, List.of());
        return !spans.isEmpty() && spans.get(0).whole();
    }

    /** All spans by the ordinals of their inputs, ascending. */
    public Map<Integer, List<ReadSpan>> byInput() {
        return byInput;
    }

    /** Whether what an input has at a byte offset of its text was read. */
    public boolean contains(int input, long byteOffset) {
        return byInput.getOrDefault(input, List.of()).stream()
                .anyMatch(span -> span.start() <= byteOffset && (byteOffset < span.end()));
    }
}
