package io.sluice.model.text;

import io.sluice.model.row.Row;
import org.jspecify.annotations.Nullable;

/** Parses DATE: {@code yyyy-mm-dd} with an optional {@code BC}, infinity and -infinity. */
final class DateParser implements DatumParser {
    static final long INFINITY = Long.MAX_VALUE;
    static final long MINUS_INFINITY = Long.MIN_VALUE;

    /** 5874897-12-31, the last day whose Julian day number fits 31 bits; PostgreSQL's limit. */
    private static final long MAX_DAY = 2_145_042_905;

    private static final DatumProblem SYNTAX =
            new DatumProblem(DatumProblem.Code.SYNTAX, "DATE must be yyyy-mm-dd, or infinity or -infinity");
    private static final DatumProblem OUT_OF_RANGE = new DatumProblem(
            DatumProblem.Code.OUT_OF_RANGE,
            "out of range for DATE: must be a day of the calendar from 4714-11-24 BC to 5874897-12-31");

    @Override
    public @Nullable DatumProblem parse(byte[] buffer, int from, int to, Row row, int column) {
        int start = Ascii.skipSpaces(buffer, from, to);
        int end = Ascii.trimEnd(buffer, start, to);
        int infinity = Ascii.infinitySign(buffer, start, end);
        if (infinity != 0) {
            row.setLong(column, infinity > 0 ? INFINITY : MINUS_INFINITY);
            return null;
        }
        int dateEnd = CivilDate.eraStart(buffer, start, end);
        long day = CivilDate.parse(buffer, start, dateEnd, dateEnd != end);
        if (day == CivilDate.NOT_A_DATE) {
            return SYNTAX;
        }
        if (day < CivilDate.MIN_DAY || day > MAX_DAY) {
            return OUT_OF_RANGE;
        }
        row.setLong(column, day);
        return null;
    }
}
