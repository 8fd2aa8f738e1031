package io.sluice.node.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.engine.store.KeyBounds;
import io.sluice.engine.store.LsmFile;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LsmShapeTest {
    /** Files drawn one per line: each covers the columns from the first to the last letter of its line. */
    private static int height(String... drawing) {
        List<LsmFile> files = new ArrayList<>();
        for (String line : drawing) {
            int from = line.indexOf('=');
            int to = line.lastIndexOf('=');
            files.add(new LsmFile("x", 1, new KeyBounds(new byte[] {(byte) from}, new byte[] {(byte) to}), 0, 1, 0));
        }
        return LsmShape.maxHeight(files);
    }

    @Test
    void heightIsTheNumberOfFilesOverAKey() {
        assertEquals(0, height());
        assertEquals(1, height("==="));
        assertEquals(
                1,
                height(
                        "===   ", //
                        "   ==="));
        assertEquals(
                2,
                height(
                        "===   ", //
                        "  ===="));
        assertEquals(
                3,
                height(
                        "==========", //
                        " ===      ",
                        "      === ",
                        "        = "));
    }
}
