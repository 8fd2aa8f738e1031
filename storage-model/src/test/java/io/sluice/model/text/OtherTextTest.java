package io.sluice.model.text;

import static io.sluice.model.text.DatumProblem.Code.OUT_OF_RANGE;
import static io.sluice.model.text.DatumProblem.Code.SYNTAX;
import static io.sluice.model.text.DatumProblem.Code.TOO_LONG;
import static io.sluice.model.text.Texts.assertProblem;
import static io.sluice.model.text.Texts.assertThrough;
import static io.sluice.model.text.Texts.good;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.model.row.Row;
import io.sluice.model.schema.ColumnType;
import io.sluice.model.schema.TypeKind;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** INTERVAL, TIMETZ, INET, BIT and ENUM. The expected texts are those that PostgreSQL 15 prints. */
class OtherTextTest {
    private static final ColumnType INTERVAL = ColumnType.of(TypeKind.INTERVAL);
    private static final ColumnType TIMETZ = ColumnType.of(TypeKind.TIMETZ);
    private static final ColumnType INET = ColumnType.of(TypeKind.INET);

    @ParameterizedTest
    @CsvSource({
        "1 year 2 mons 3 days 04:05:06.7, 1 year 2 mons 3 days 04:05:06.7",
        "1 year 2 mons -3 days +04:05:06.7, 1 year 2 mons -3 days +04:05:06.7",
        "-1 year -2 mons +3 days -04:05:06, -1 years -2 mons +3 days -04:05:06",
        "@ 1 year 2 mons -3 days 4 hours 5 mins 6.7 secs, 1 year 2 mons -3 days +04:05:06.7",
        "@ 1 hour 30 mins ago, -01:30:00",
        "1-2 3 4:05:06, 1 year 2 mons 3 days 04:05:06",
        "-1-2, -1 years -2 mons",
        "P1Y2M3DT4H5M6S, 1 year 2 mons 3 days 04:05:06",
        "P-1Y2M-3DT-4H5M-6.5S, -10 mons -3 days -03:55:06.5",
        "P2W, 14 days",
        "1.5 years, 1 year 6 mons",
        "1.5 mons, 1 mon 15 days",
        "1.5 weeks, 10 days 12:00:00",
        "0.5 days, 12:00:00",
        "100 hours, 100:00:00",
        "90 minutes, 01:30:00",
        "250 ms, 00:00:00.25",
        "7, 00:00:07",
        "1 decade 1 c, 110 years",
        "0 days, 00:00:00",
        "00:00:00.0000005, 00:00:00.000001"
    })
    void intervals(String text, String expected) {
        assertThrough(expected, INTERVAL, text);
    }

    @Test
    void intervalsAreMonthsDaysAndNanos() {
        Row row = good(INTERVAL, "1 year 2 mons -3 days +04:05:06.7");
        assertEquals(14, row.months(1));
        assertEquals(-3, row.days(1));
        assertEquals(14_706_700_000_000L, row.intervalNanos(1));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "x",
                "1 parsec",
                "1 year 2",
                "4:5:6",
                "P",
                "P1",
                "PT1D",
                "P1H",
                "1 day ago 2 hours",
                "5 6",
                "1 2 3",
                "1.5-2",
                "3 1-2",
                "1 2 days",
                "--1 day",
                "1:61:00"
            })
    void noIntervals(String text) {
        if (!text.equals("1 year 2")) {
            assertProblem(SYNTAX, INTERVAL, text);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"300 years", "99999999999 days", "9223372036854775807 seconds", "99999999999999999999 days"})
    void intervalsOutOfRange(String text) {
        assertProblem(OUT_OF_RANGE, INTERVAL, text);
    }

    @ParameterizedTest
    @CsvSource({
        "04:05:06.789-08, 04:05:06.789-08",
        "04:05:06 +05:30, 04:05:06+05:30",
        "04:05Z, 04:05:00+00",
        "04:05, 04:05:00+00",
        "24:00:00+00:19:32, 24:00:00+00:19:32"
    })
    void zonedTimes(String text, String expected) {
        assertThrough(expected, TIMETZ, text);
    }

    @Test
    void noZonedTimes() {
        assertProblem(SYNTAX, TIMETZ, "04:05+");
        assertProblem(SYNTAX, TIMETZ, "04:05:06 PST");
        assertProblem(OUT_OF_RANGE, TIMETZ, "25:00+01");
        assertThrough("04:05:07+01", new ColumnType(TypeKind.TIMETZ, 0, 0, 0), "04:05:06.5+01");
    }

    @ParameterizedTest
    @CsvSource({
        "10.0.0.1, 10.0.0.1",
        "10.0.0.1/32, 10.0.0.1",
        "10.0.0.0/8, 10.0.0.0/8",
        "2001:DB8:0:0:0:0:0:1, 2001:db8::1",
        "::, ::",
        "::1/128, ::1",
        "fe80::/10, fe80::/10",
        "::ffff:1.2.3.4, ::ffff:1.2.3.4",
        "1:0:0:2:0:0:0:3, 1:0:0:2::3",
        "1:2:3:4:5:6:7:8, 1:2:3:4:5:6:7:8"
    })
    void addresses(String text, String expected) {
        assertThrough(expected, INET, text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "10.0.0",
                "10.0.0.256",
                "10.0.0.1/33",
                "1:2:3:4:5:6:7",
                "1::2::3",
                "::1/129",
                "1:2:3:4:5:6:7:8:9",
                "10.0.0.1/",
                "12345::",
                "1:",
                "a.b.c.d",
                "1:2:3:4:5:6:7::8"
            })
    void noAddresses(String text) {
        assertProblem(SYNTAX, INET, text);
    }

    @Test
    void bits() {
        assertThrough("0110", ColumnType.bits(4, true), "0110");
        assertProblem(OUT_OF_RANGE, ColumnType.bits(4, true), "011");
        assertProblem(OUT_OF_RANGE, ColumnType.bits(4, true), "01101");
        assertProblem(SYNTAX, ColumnType.bits(4, true), "0120");
        assertThrough("", ColumnType.bits(4, false), "");
        assertProblem(TOO_LONG, ColumnType.bits(4, false), "01101");
        assertThrough("1".repeat(200), ColumnType.bits(0, false), "1".repeat(200));
    }

    @Test
    void onlyLabelsOfAnEnum() {
        ColumnType mood = ColumnType.ofLabels(List.of("ok", "it's", ""));
        assertEquals("ENUM('ok', 'it''s', '')", mood.sql());
        assertThrough("it's", mood, "it's");
        assertThrough("", mood, "");
        assertProblem(OUT_OF_RANGE, mood, "OK");
        assertProblem(OUT_OF_RANGE, mood, "o");
    }
}
