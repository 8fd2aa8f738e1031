package io.sluice.node.read;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.engine.store.KeyBounds;
import io.sluice.engine.store.LsmFile;
import io.sluice.model.kv.KeySpan;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SpansTest {
    private static final KeySpan SPAN = new KeySpan(new byte[] {10}, new byte[] {50});

    private static String cut(int most, int... starts) {
        List<LsmFile> files = IntStream.of(starts)
                .mapToObj(start -> new KeyBounds(new byte[] {(byte) start}, new byte[] {99}))
                .map(bounds -> new LsmFile("x", 1, bounds, 0, 1, 0))
                .toList();
        return Spans.cut(SPAN, files, most).stream()
                .map(part -> part.start()[0] + "-" + part.end()[0])
                .collect(Collectors.joining(" "));
    }

    @Test
    void partsCoverTheSpanForAnyFiles() {
        assertEquals("10-50", cut(4));
        assertEquals("10-50", cut(1, 20, 30));
        assertEquals("10-50", cut(4, 1, 10, 50, 60), "ends are no cuts");
        assertEquals("10-20 20-50", cut(4, 20, 20, 20));
        assertEquals("10-20 20-30 30-50", cut(4, 30, 20));
        assertEquals("10-30 30-50", cut(2, 20, 30, 40));
        assertEquals("10-20 20-30 30-40 40-50", cut(4, 15, 20, 25, 30, 35, 40, 45));
    }
}
