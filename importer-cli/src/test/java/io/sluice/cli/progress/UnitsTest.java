package io.sluice.cli.progress;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UnitsTest {
    @ParameterizedTest
    @CsvSource({
        "0,0 B",
        "999,999 B",
        "1000,1.00 kB",
        "9994,9.99 kB",
        "9995,10.0 kB",
        "99949,99.9 kB",
        "99950,100 kB",
        "999499,999 kB",
        "999500,1.00 MB",
        "305998418,306 MB"
    })
    void bytes(double bytes, String text) {
        assertEquals(text, Units.bytes(bytes));
    }

    @ParameterizedTest
    @CsvSource({"0,0 rows,0 rows", "1,1 row,1 row", "1234,'1,234 rows',1234 rows"})
    void oneThingHasNoPlural(long count, String number, String plain) {
        assertEquals(number, Units.number(count, "row"));
        assertEquals(plain, Units.plain(count, "row"));
    }

    @ParameterizedTest
    @CsvSource({"0.841,0.84 s", "12.34,12.3 s", "60,1:00", "187,3:07", "7387,2:03:07"})
    void seconds(double seconds, String text) {
        assertEquals(text, Units.seconds(seconds));
    }
}
