package io.sluice.importer.source;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Lines are the records of a framing without quotes, for all short texts. */
class LinesTest {
    private static final int MOST_CHARS = 7;
    private static final String CHARS = "x\r\n";

    @Test
    void linesEndWhereTheFramingEndsThem() {
        List<String> texts = new ArrayList<>(List.of(""));
        for (int i = 0; i < texts.size(); i++) {
            String text = texts.get(i);
            // The bytes before and after are not part of the range.
            byte[] buffer = ("\n" + text + "\n\r").getBytes(StandardCharsets.US_ASCII);
            int end = 1 + text.length();
            List<String> expected = new ArrayList<>();
            for (int at = 1; at < end; ) {
                int next = CsvFraming.LINES.firstRecordEnd(buffer, at, end, true);
                expected.add(at + " " + new String(buffer, at, next - at, StandardCharsets.US_ASCII).strip());
                at = next;
            }
            List<String> found = new ArrayList<>();
            Lines lines = new Lines(buffer, 1, end);
            while (lines.next()) {
                found.add(lines.from() + " "
                        + new String(buffer, lines.from(), lines.to() - lines.from(), StandardCharsets.US_ASCII));
            }
            assertEquals(expected, found, () -> text.replace('\r', 'r').replace('\n', 'n'));
            if (text.length() < MOST_CHARS) {
                CHARS.chars().forEach(c -> texts.add(text + (char) c));
            }
        }
    }
}
