package io.sluice.model.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.model.row.Row;
import io.sluice.model.schema.ColumnType;
import io.sluice.model.schema.TypeKind;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Damaged and random text: no parser throws, and accepted text round-trips through the formatter. */
class ParserFuzzTest {
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());
    private static final int ROUNDS = 60_000;
    private static final String ALPHABET = "0123456789-+.:eE TZzinfatyNBCPYMDHS/\\x{}\u00e9";
    private static final String[] WHOLE = {
        "1234567890",
        "-12.5e3",
        "2020-02-29",
        "2020-12-31 23:59:59.9999995+05:30",
        "12:34:56.7",
        "0044-03-15 BC",
        "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
        "\\x00ff",
        "1 year 2 mons -3 days +04:05:06.7",
        "P1Y2M3DT4H5M6.5S",
        "12:34:56.7-03:30",
        "192.168.0.1/24",
        "2001:db8::ff00:42:8329",
        "0110100",
        "{1,-2,NULL,\"a b\",\"c\\\\d\"}",
        "[1, \"x\\u00e9\", null, true]",
        "{\"a\": [1.50, null], \"b\": {\"c\": \"d\"}}",
        "infinity",
        "-Infinity",
        "NaN",
        "true",
        "off"
    };

    @ParameterizedTest
    @EnumSource(TypeKind.class)
    void parsedTextRoundTrips(TypeKind kind) {
        ColumnType type =
                kind == TypeKind.ARRAY ? ColumnType.arrayOf(ColumnType.of(TypeKind.STRING)) : ColumnType.of(kind);
        Random random = new Random(SEED);
        int accepted = 0;
        for (int i = 0; i < ROUNDS; i++) {
            String text = damagedText(random);
            Row row = new Row(3);
            DatumProblem problem = Texts.parse(type, text.getBytes(StandardCharsets.UTF_8), row);
            assertEquals(problem != null, row.isNull(1), () -> "seed " + SEED + ", '" + text + "': " + problem);
            if (problem == null) {
                String printed = DatumFormatter.format(row, 1, type);
                assertNotNull(printed);
                assertEquals(printed, Texts.through(type, printed), () -> "seed " + SEED + ", '" + text + "'");
                accepted++;
            }
        }
        assertTrue(accepted > 100, "some texts must be good: " + accepted);
    }

    private static String damagedText(Random random) {
        StringBuilder text = new StringBuilder(WHOLE[random.nextInt(WHOLE.length)]);
        for (int damage = random.nextInt(4); damage > 0; damage--) {
            char letter = ALPHABET.charAt(random.nextInt(ALPHABET.length()));
            int at = random.nextInt(text.length() + 1);
            switch (random.nextInt(3)) {
                case 0 -> text.insert(at, letter);
                case 1 -> text.replace(at, Math.min(at + 1, text.length()), String.valueOf(letter));
                default -> text.delete(at, Math.min(text.length(), at + 1 + random.nextInt(3)));
            }
        }
        return text.toString();
    }
}
