package io.sluice.model.kv;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.model.row.Row;
import io.sluice.model.schema.TypeKind;
import java.math.BigInteger;
import java.util.HexFormat;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The independent encoders of narrow and wide decimals agree where both apply. */
final class DecimalPathsTest {
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());
    private static final int DATUMS = 50_000;

    @Test
    void narrowAndWideAgree() {
        SplittableRandom random = new SplittableRandom(SEED);
        Row row = new Row(1);
        for (int i = 0; i < DATUMS; i++) {
            RandomDatums.set(TypeKind.DECIMAL, row, 0, random);
            if (row.form(0) != Row.Form.VALUE || row.coefficient(0) == 0) {
                continue;
            }
            BigInteger coefficient = BigInteger.valueOf(row.coefficient(0));
            int exponent = row.exponent(0);
            boolean descending = random.nextBoolean();
            String what = "seed " + SEED + ": " + coefficient + "E" + exponent;

            byte[] narrow = new byte[64];
            byte[] wide = new byte[64];
            int narrowEnd = DecimalEncoding.putKey(row, 0, descending, narrow, 0);
            int wideEnd = DecimalEncoding.putKey(coefficient, exponent, descending, wide, 0);
            assertEquals(hex(wide, wideEnd), hex(narrow, narrowEnd), what);

            narrowEnd = DecimalEncoding.putValue(row, 0, narrow, 0);
            wideEnd = DecimalEncoding.putValue(coefficient, exponent, wide, 0);
            assertEquals(hex(wide, wideEnd), hex(narrow, narrowEnd), what);
        }
    }

    private static String hex(byte[] bytes, int end) {
        return HexFormat.of().formatHex(bytes, 0, end);
    }
}
