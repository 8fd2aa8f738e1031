package io.sluice.importer.source;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Spans that earlier attempts have read. */
class ReadSpansTest {
    private static ReadSpan span(long start, long end) {
        return new ReadSpan(start, end, 0, 0, 0, false, false);
    }

    /** Another machine cuts the same input at other places; what overlaps its work by a byte is not taken again. */
    @ParameterizedTest
    @CsvSource({
        "0, 10, false",
        "0, 11, true",
        "10, 20, true",
        "12, 15, true",
        "5, 25, true",
        "19, 40, true",
        "20, 40, false",
        "15, 15, true",
        "20, 20, false",
    })
    void spansOverlap(long start, long end, boolean overlaps) {
        ReadSpans spans = new ReadSpans(Map.of(3, List.of(span(10, 20))));
        assertEquals(overlaps, spans.overlaps(3, span(start, end)));
        assertFalse(spans.overlaps(4, span(start, end)));
    }
}
