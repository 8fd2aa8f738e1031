package io.sluice.importer.decode.avro;

import io.sluice.model.row.Row;
import io.sluice.model.schema.ColumnType;
import io.sluice.model.schema.TypeKind;
import io.sluice.model.text.DatumProblem;
import org.apache.avro.LogicalType;
import org.jspecify.annotations.Nullable;

/**
 * Readers of dates, times and timestamps, rounded to the column's precision as text is: to the nearest, halves upwards.
 * Ranges are those of the rounded values. Both kinds of timestamp fill both kinds of column; a local one counts as UTC.
 */
final class TemporalReaders {
    /** 4714-11-24 BC and 5874897-12-31, PostgreSQL's limits, as in {@code io.sluice.model.text}. */
    private static final long MIN_DAY = -2_440_588;

    private static final long MAX_DAY = 2_145_042_905;
    private static final long MIN_SECONDS = MIN_DAY * 86_400;

    /** The last second of 294276, the end of PostgreSQL's timestamps. */
    private static final long MAX_SECONDS = 9_224_318_015_999L;

    private static final long MICROS_PER_DAY = 86_400_000_000L;
    private static final int NANOS_PER_SECOND = 1_000_000_000;

    /** Nanoseconds that one unit of the last kept fraction digit is worth, by precision. */
    private static final int[] UNIT_NANOS = {1_000_000_000, 100_000_000, 10_000_000, 1_000_000, 100_000, 10_000, 1_000};

    private static final DatumProblem NANOS = new DatumProblem(
            DatumProblem.Code.OUT_OF_RANGE,
            "has nanoseconds, and columns keep microseconds; --nanos round rounds such timestamps");

    private static final int NANOS_PER_MICRO = 1_000;

    private TemporalReaders() {}

    /**
     * The reader of a logical type over int or long; null when the column does not take it.
     *
     * @param roundNanos whether a timestamp with digits beyond microseconds is rounded, not refused
     */
    static @Nullable FieldReader of(LogicalType logical, ColumnType type, boolean roundNanos, int column) {
        return switch (logical.getName()) {
            case "date" -> type.kind() == TypeKind.DATE ? date(column) : null;
            case "time-millis" -> type.kind() == TypeKind.TIME ? time(type, 1_000, column) : null;
            case "time-micros" -> type.kind() == TypeKind.TIME ? time(type, 1, column) : null;
            case "timestamp-millis", "local-timestamp-millis" -> timestamp(type, 1_000, true, column);
            case "timestamp-micros", "local-timestamp-micros" -> timestamp(type, 1_000_000, true, column);
            case "timestamp-nanos", "local-timestamp-nanos" -> timestamp(type, NANOS_PER_SECOND, roundNanos, column);
            default -> null;
        };
    }

    private static FieldReader date(int column) {
        DatumProblem outOfRange = new DatumProblem(
                DatumProblem.Code.OUT_OF_RANGE,
                "out of range for DATE: must be a day of the calendar from 4714-11-24 BC to 5874897-12-31");
        return new Date(outOfRange, column);
    }

    /** Reads a number of days since 1970. */
    private record Date(DatumProblem outOfRange, int column) implements FieldReader {
        @Override
        public void read(AvroInput in, Row row) throws MalformedDatum {
            int day = in.readInt();
            if (day < MIN_DAY || day > MAX_DAY) {
                in.refuse(column, outOfRange);
            } else {
                row.setLong(column, day);
            }
        }

        @Override
        public void readAll(AvroInput in, Row[] rows, int count) throws MalformedDatum {
            for (int i = 0; i < count; i++) {
                read(in, rows[i]);
            }
        }
    }

    private static FieldReader time(ColumnType type, int microsPerTick, int column) {
        DatumProblem outOfRange = new DatumProblem(
                DatumProblem.Code.OUT_OF_RANGE, "out of range for " + type.sql() + ": must be 00:00:00 to 24:00:00");
        int unit = UNIT_NANOS[type.precision()] / 1_000;
        return (in, row) -> {
            long ticks = in.readLong();
            // Far beyond a day and what rounding moves, and far below what a long holds.
            boolean near = Math.abs(ticks / 2) <= MICROS_PER_DAY;
            long micros = near ? Math.floorDiv(ticks * microsPerTick + unit / 2, unit) * unit : Long.MAX_VALUE;
            if (micros < 0 || micros > MICROS_PER_DAY) {
                in.refuse(column, outOfRange);
            } else {
                row.setLong(column, micros);
            }
        };
    }

    private static @Nullable FieldReader timestamp(
            ColumnType type, int ticksPerSecond, boolean roundNanos, int column) {
        if (type.kind() != TypeKind.TIMESTAMP && type.kind() != TypeKind.TIMESTAMPTZ) {
            return null;
        }
        DatumProblem outOfRange = new DatumProblem(
                DatumProblem.Code.OUT_OF_RANGE,
                "out of range for " + type.sql()
                        + ": must be a time of a day of the calendar from 4714-11-24 BC to 294276-12-31");
        int unit = UNIT_NANOS[type.precision()];
        int nanosPerTick = NANOS_PER_SECOND / ticksPerSecond;
        return (in, row) -> {
            long ticks = in.readLong();
            long seconds = Math.floorDiv(ticks, (long) ticksPerSecond);
            int nanos = (int) (ticks - seconds * ticksPerSecond) * nanosPerTick;
            if (!roundNanos && nanos % NANOS_PER_MICRO != 0) {
                in.refuse(column, NANOS);
            } else {
                in.refuse(column, setRounded(row, column, seconds, nanos, unit) ? null : outOfRange);
            }
        };
    }

    private static boolean setRounded(Row row, int column, long seconds, int nanos, int unit) {
        // Below 1.5 * 10^9, so no overflow.
        int rounded = (nanos + unit / 2) / unit * unit;
        long carried = rounded == NANOS_PER_SECOND ? seconds + 1 : seconds;
        if (carried < MIN_SECONDS || carried > MAX_SECONDS) {
            return false;
        }
        row.setTimestamp(column, carried, rounded == NANOS_PER_SECOND ? 0 : rounded);
        return true;
    }
}
