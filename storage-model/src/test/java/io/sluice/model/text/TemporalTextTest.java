package io.sluice.model.text;

import static io.sluice.model.text.DatumProblem.Code.OUT_OF_RANGE;
import static io.sluice.model.text.DatumProblem.Code.SYNTAX;
import static io.sluice.model.text.Texts.assertProblem;
import static io.sluice.model.text.Texts.assertThrough;
import static io.sluice.model.text.Texts.good;
import static io.sluice.model.text.Texts.precise;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.model.row.Row;
import io.sluice.model.schema.ColumnType;
import io.sluice.model.schema.TypeKind;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TemporalTextTest {
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());
    private static final int ROUNDS = 100_000;

    private static final ColumnType DATE = ColumnType.of(TypeKind.DATE);
    private static final ColumnType TIME = ColumnType.of(TypeKind.TIME);
    private static final ColumnType TIMESTAMP = ColumnType.of(TypeKind.TIMESTAMP);
    private static final ColumnType TIMESTAMPTZ = ColumnType.of(TypeKind.TIMESTAMPTZ);

    @ParameterizedTest
    @CsvSource({
        "1970-01-01, 0",
        "1969-12-31, -1",
        "2000-02-29, 11016",
        "0001-01-01, -719162",
        "9999-12-31, 2932896",
        "10000-01-01, 2932897",
        "0001-12-31 BC, -719163",
        "4714-11-24 BC, -2440588",
        "5874897-12-31, 2145042905"
    })
    void dates(String text, long day) {
        assertEquals(day, good(DATE, text).longValue(1));
        assertThrough(text, DATE, text);
    }

    @Test
    void datesInOtherNotations() {
        assertThrough("2020-11-27", DATE, " 2020-11-27 ");
        assertThrough("0044-03-15 BC", DATE, "0044-03-15 bc");
        assertThrough("0044-03-15", DATE, "00000000044-03-15");
        assertEquals(Long.MAX_VALUE, good(DATE, "Infinity").longValue(1));
        assertEquals(Long.MIN_VALUE, good(DATE, "-infinity").longValue(1));
        assertThrough("infinity", DATE, "infinity");
        assertThrough("-infinity", DATE, "-infinity");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "2019-02-29",
                "1900-02-29",
                "2020-02-30",
                "2020-04-31",
                "2020-13-01",
                "2020-00-01",
                "2020-01-00",
                "0000-01-01",
                "4714-11-23 BC",
                "5874898-01-01",
                "99999999-01-01",
                "99999999999999999999-01-01"
            })
    void refusesNonexistentDays(String text) {
        assertProblem(OUT_OF_RANGE, DATE, text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", "2020", "2020-1-1", "20-01-01", "2020-01", "2020/01/01", "2020-01-01x", "2020-01-01 ",
                        "+2020-01-01",
                "-2020-01-01", "01-02-2020", "20200101", "2020-0a-01", "inf", "now", "2020-01-01 BCE", "2020-01-01BC",
                        " BC"
            })
    void refusesInvalidDates(String text) {
        if (!text.endsWith(" ")) {
            assertProblem(SYNTAX, DATE, text);
        }
    }

    @Test
    void everyDayOfSixCenturiesAgreesWithTheJdk() {
        LocalDate last = LocalDate.of(2201, 1, 1);
        for (LocalDate date = LocalDate.of(1599, 12, 31); date.isBefore(last); date = date.plusDays(1)) {
            assertEquals(date.toEpochDay(), good(DATE, date.toString()).longValue(1), date::toString);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "6, 00:00, 00:00:00",
        "6, 12:34, 12:34:00",
        "6, 12:34:56, 12:34:56",
        "6, 12:34:56.7, 12:34:56.7",
        "6, 12:34:56.7890125, 12:34:56.789013",
        "6, 12:34:56.78901249999, 12:34:56.789012",
        "6, 24:00:00, 24:00:00",
        "6, 24:00, 24:00:00",
        "6, 23:59:59.9999995, 24:00:00",
        "6, 23:59:60, 24:00:00",
        "0, 12:34:56.5, 12:34:57",
        "0, 12:34:56.4999, 12:34:56",
        "3, 12:59:59.9995, 13:00:00",
        "3, 12:34:56.78, 12:34:56.78",
        "6, ' 01:02 ', 01:02:00"
    })
    void times(int precision, String text, String expected) {
        assertThrough(expected, precise(TypeKind.TIME, precision), text);
    }

    @Test
    void refusesTimes() {
        for (String text : new String[] {"24:00:01", "25:00", "12:60", "12:34:61", "24:00:00.000001", "99:99:99"}) {
            assertProblem(OUT_OF_RANGE, TIME, text);
        }
        for (String text : new String[] {
            "",
            "1",
            "1:00",
            "12",
            "12:",
            "12:3",
            "12:34:",
            "12:34:5",
            "12:34:56.",
            "12:34:56,5",
            "12:34:56.5x",
            "12-34-56",
            "aa:bb",
            "12:34.5",
            "12:34:56.1.2",
            "2020-01-01 12:34"
        }) {
            assertProblem(SYNTAX, TIME, text);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "2020-11-27 12:34:56.789012, 2020-11-27 12:34:56.789012",
        "2020-11-27, 2020-11-27 00:00:00",
        "2020-11-27T12:34, 2020-11-27 12:34:00",
        "2020-11-27t12:34:56Z, 2020-11-27 12:34:56",
        "2020-11-27 12:34:56+05:30, 2020-11-27 12:34:56",
        "2020-12-31 24:00:00, 2021-01-01 00:00:00",
        "2016-12-31 23:59:60, 2017-01-01 00:00:00",
        "2020-12-31 23:59:59.9999996, 2021-01-01 00:00:00",
        "1969-12-31 23:59:59.5, 1969-12-31 23:59:59.5",
        "0001-01-01 00:00:00 BC, 0001-01-01 00:00:00 BC",
        "294276-12-31 23:59:59.999998, 294276-12-31 23:59:59.999998",
        "Infinity, infinity",
        "-infinity, -infinity"
    })
    void timestamps(String text, String expected) {
        assertThrough(expected, TIMESTAMP, text);
    }

    @ParameterizedTest
    @CsvSource({
        "2020-11-27 12:34:56, 2020-11-27 12:34:56+00",
        "2020-11-27 12:34:56Z, 2020-11-27 12:34:56+00",
        "2020-11-27 12:34:56+01, 2020-11-27 11:34:56+00",
        "2020-11-27 12:34:56 +0130, 2020-11-27 11:04:56+00",
        "2020-11-27T12:34:56.5-05:00, 2020-11-27 17:34:56.5+00",
        "2020-01-01 00:30+01:00, 2019-12-31 23:30:00+00",
        "1880-01-01 00:09:21+00:09:21, 1880-01-01 00:00:00+00",
        "1880-01-01 00:00:00 -033052, 1880-01-01 03:30:52+00",
        "0001-01-01 00:30+01 BC, 0002-12-31 23:30:00+00 BC",
        "infinity, infinity",
        "-infinity, -infinity"
    })
    void zonedTimestamps(String text, String expected) {
        assertThrough(expected, TIMESTAMPTZ, text);
    }

    @Test
    void timestampsAreSecondsAndNanos() {
        assertTimestamp(-1, 500_000_000, good(TIMESTAMP, "1969-12-31 23:59:59.5"));
        assertTimestamp(1_606_480_496, 789_012_000, good(TIMESTAMP, "2020-11-27 12:34:56.789012"));
        assertTimestamp(9_224_318_015_999L, 999_999_000, good(TIMESTAMP, "infinity"));
        assertTimestamp(9_224_318_015_999L, 999_999_000, good(TIMESTAMP, "294276-12-31 23:59:59.999999"));
        assertTimestamp(-210_866_803_200L, 0, good(TIMESTAMP, "-infinity"));
        assertTimestamp(-210_866_803_200L, 0, good(TIMESTAMP, "4714-11-24 BC"));
        assertTimestamp(-210_866_803_200L, 0, good(TIMESTAMPTZ, "4714-11-24 05:00+05 BC"));
    }

    /** Ranges are those of the rounded value, whatever the type. */
    @ParameterizedTest
    @CsvSource({
        "TIME, 6, 24:00:00.0000004, 24:00:00",
        "TIME, 6, 24:00:00.0000005, refused",
        "TIME, 0, 24:00:00.4, 24:00:00",
        "TIME, 0, 24:00:00.5, refused",
        "TIME, 3, 23:59:60.0004, 24:00:00",
        "TIME, 3, 23:59:60.0005, refused",
        "TIME, 0, 23:59:59.5, 24:00:00",
        "TIMESTAMP, 6, 2024-12-31 24:00:00.0000004, 2025-01-01 00:00:00",
        "TIMESTAMP, 6, 2024-12-31 24:00:00.0000005, refused",
        "TIMESTAMP, 0, 2024-12-31 24:00:00.4, 2025-01-01 00:00:00",
        "TIMESTAMP, 6, 294276-12-31 23:59:59.9999984, 294276-12-31 23:59:59.999998",
        "TIMESTAMP, 6, 294276-12-31 23:59:59.9999995, refused",
        "TIMESTAMP, 0, 294276-12-31 23:59:59.4, 294276-12-31 23:59:59",
        "TIMESTAMP, 0, 294276-12-31 23:59:59.5, refused",
        "TIMESTAMP, 6, 4714-11-23 23:59:59.9999994 BC, refused",
        // The first valid second represents -infinity.
        "TIMESTAMP, 6, 4714-11-23 23:59:59.9999995 BC, -infinity",
        "TIMESTAMP, 0, 4714-11-23 23:59:59.5 BC, -infinity",
        "TIMESTAMPTZ, 0, 294276-12-31 23:59:59.5+00, refused",
        "TIMESTAMPTZ, 0, 294277-01-01 00:59:59.4+01, 294276-12-31 23:59:59+00",
        "TIMESTAMPTZ, 0, 294277-01-01 00:59:59.5+01, refused",
        "TIMESTAMPTZ, 3, 4714-11-23 23:59:59.9995+00 BC, -infinity",
        "TIMESTAMPTZ, 3, 4714-11-23 23:59:59.9994+00 BC, refused"
    })
    void rangesApplyToTheRoundedValue(TypeKind kind, int precision, String text, String expected) {
        if (expected.equals("refused")) {
            assertProblem(OUT_OF_RANGE, precise(kind, precision), text);
        } else {
            assertThrough(expected, precise(kind, precision), text);
        }
    }

    /** As CockroachDB's Round does. PostgreSQL rounds them away from 2000-01-01. */
    @ParameterizedTest
    @CsvSource({
        "0, 2024-01-01 00:00:00.5, 2024-01-01 00:00:01",
        "0, 1999-12-31 23:59:58.5, 1999-12-31 23:59:59",
        "0, 1969-12-31 23:59:58.5, 1969-12-31 23:59:59",
        "2, 1969-12-31 23:59:58.995, 1969-12-31 23:59:59",
        "3, 0001-01-01 00:00:00.0005 BC, 0001-01-01 00:00:00.001 BC",
        "3, 0001-01-01 00:00:00.00049 BC, 0001-01-01 00:00:00 BC"
    })
    void halvesAreRoundedUpwardsAtAnyTime(int precision, String text, String expected) {
        assertThrough(expected, precise(TypeKind.TIMESTAMP, precision), text);
    }

    private static void assertTimestamp(long seconds, int nanos, Row row) {
        assertEquals(seconds, row.seconds(1));
        assertEquals(nanos, row.nanos(1));
    }

    @Test
    void refusesTimestamps() {
        for (String text : new String[] {
            "2020-02-30 12:00",
            "2020-01-01 25:00",
            "294277-01-01",
            "4714-11-23 23:59 BC",
            "294276-12-31 23:59:59.9999996",
            "0000-01-01 00:00"
        }) {
            assertProblem(OUT_OF_RANGE, TIMESTAMP, text);
            assertProblem(OUT_OF_RANGE, TIMESTAMPTZ, text);
        }
        assertProblem(OUT_OF_RANGE, TIMESTAMPTZ, "294276-12-31 23:59:59-01");
        for (String text : new String[] {
            "",
            "2020",
            "2020-01-01T",
            "2020-01-01x12:00",
            "2020-01-01 12:00x",
            "2020-01-01 12:00+1",
            "2020-01-01 12:00+",
            "2020-01-01 12:00+01:",
            "2020-01-01 12:00+01-00",
            "2020-01-01 12:00+16",
            "2020-01-01 12:00+01:60",
            "2020-01-01 12:00 PST",
            "12:00",
            "1606480496",
            "now()"
        }) {
            assertProblem(SYNTAX, TIMESTAMP, text);
            assertProblem(SYNTAX, TIMESTAMPTZ, text);
        }
    }

    @Test
    void timestampsAgreeWithTheJdk() {
        DateTimeFormatter pattern = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSSSSSSSSxxx");
        Random random = new Random(SEED);
        for (int i = 0; i < ROUNDS; i++) {
            LocalDate date = LocalDate.ofEpochDay(random.nextInt(3_600_000) - 700_000);
            LocalTime time = LocalTime.ofNanoOfDay(random.nextLong(86_400_000_000_000L));
            ZoneOffset offset = ZoneOffset.ofTotalSeconds(60 * (random.nextInt(28 * 60 + 1) - 14 * 60));
            int precision = random.nextInt(7);
            String text = OffsetDateTime.of(date, time, offset).format(pattern);

            long unit = Math.round(Math.pow(10, 9 - precision));
            long nanoOfDay = (time.toNanoOfDay() + unit / 2) / unit * unit;
            LocalDateTime rounded = date.atStartOfDay().plusNanos(nanoOfDay);

            Row local = good(precise(TypeKind.TIMESTAMP, precision), text);
            assertEquals(
                    rounded.toInstant(ZoneOffset.UTC),
                    Instant.ofEpochSecond(local.seconds(1), local.nanos(1)),
                    () -> "seed " + SEED + ", " + text + ", precision " + precision);
            Row zoned = good(precise(TypeKind.TIMESTAMPTZ, precision), text);
            Instant instant = rounded.toInstant(offset);
            assertEquals(
                    instant,
                    Instant.ofEpochSecond(zoned.seconds(1), zoned.nanos(1)),
                    () -> "seed " + SEED + ", " + text + ", precision " + precision);
            assertThrough(
                    rounded.format(DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss")),
                    precise(TypeKind.TIMESTAMP, 0),
                    rounded.withNano(0).toString());
        }
    }
}
