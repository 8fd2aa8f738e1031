package io.sluice.api.node;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Pictures of directories: the first keys of their ranges. */
class RangeDirectoryTest {
    private static RangeDirectory directory(String picture) {
        List<RangeDirectory.Range> ranges = new ArrayList<>();
        for (int i = 0; i < picture.length(); i++) {
            byte[] start = i == 0 ? new byte[0] : new byte[] {(byte) picture.charAt(i)};
            ranges.add(new RangeDirectory.Range(start, List.of("n" + i)));
        }
        return new RangeDirectory(1, ranges);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            value = {
                "the same ranges           | '-gm'  | '-gm' | true",
                "parts of them             | '-cgm' | '-gm' | true",
                "parts of the last one     | '-gmz' | '-gm' | true",
                "ranges that were joined   | '-g'   | '-gm' | false",
                "other bounds, as many     | '-hm'  | '-gm' | false",
                "other bounds, more        | '-chm' | '-gm' | false",
                "none of one without any   | ''     | ''    | true",
                "some of one without any   | '-'    | ''    | false",
                "none of one with some     | ''     | '-'   | false",
            })
    void refines(String what, String later, String earlier, boolean refines) {
        assertEquals(refines, directory(later).refines(directory(earlier)), what);
    }

    @Test
    void partsAreOnTheNodesOfTheirRange() {
        RangeDirectory before = directory("-gm");
        RangeDirectory after = before.split(Map.of(1, List.of(new byte[] {'h'}, new byte[] {'k'})));
        assertEquals(
                List.of("n0", "n1", "n1", "n1", "n2"),
                after.ranges().stream().map(range -> range.nodes().get(0)).toList());
        assertArrayEquals(before.span(1).start(), after.span(1).start());
        assertArrayEquals(before.span(2).start(), after.span(4).start());
        assertTrue(after.refines(before) && !before.refines(after));
    }
}
