package io.sluice.grammar;

import io.sluice.model.row.Row;
import io.sluice.model.schema.ColumnType;
import io.sluice.model.schema.TypeKind;
import io.sluice.model.text.DatumFormatter;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Converts literals with a type word, such as {@code TIMESTAMPTZ '2024-01-01 00:00:00+02'}, to the types of columns.
 * Timestamps are converted in UTC, as CAST does.
 */
final class TypedLiterals {
    /** The types that a word before a string names. */
    static final Map<String, ColumnType> TYPES = Map.of(
            "date", ColumnType.of(TypeKind.DATE),
            "time", ColumnType.of(TypeKind.TIME),
            "timestamp", ColumnType.of(TypeKind.TIMESTAMP),
            "timestamptz", ColumnType.of(TypeKind.TIMESTAMPTZ));

    private static final int SECONDS_PER_DAY = 86_400;

    private TypedLiterals() {}

    /** Converts the text of a value for an assignment, as PostgreSQL does; null if there is no conversion. */
    static @Nullable String assigned(ColumnType from, String text, ColumnType to) {
        if (to.kind() == TypeKind.STRING) {
            return format(parsed(from, text), from);
        }
        return isTimestamp(from) && to.kind() == TypeKind.DATE ? day(parsed(from, text), from) : exact(from, text, to);
    }

    /**
     * Converts the text of a value so that comparisons with values of the other type stay the same; null if there is no
     * such value.
     */
    static @Nullable String exact(ColumnType from, String text, ColumnType to) {
        if (from.kind() == to.kind()) {
            return text;
        }
        Row row = parsed(from, text);
        return switch (from.kind()) {
            case DATE -> isTimestamp(to) ? format(row, from) : null;
            case TIME -> to.kind() == TypeKind.TIMETZ || to.kind() == TypeKind.INTERVAL ? format(row, from) : null;
            default -> isTimestamp(to) ? format(row, to) : to.kind() == TypeKind.DATE ? wholeDay(row, from) : null;
        };
    }

    private static boolean isTimestamp(ColumnType type) {
        return type.kind() == TypeKind.TIMESTAMP || type.kind() == TypeKind.TIMESTAMPTZ;
    }

    /** The text is a value of the type. */
    private static Row parsed(ColumnType type, String text) {
        Row row = new Row(1);
        Literals.put(type, text, row, 0, "of a literal");
        return row;
    }

    private static String format(Row row, ColumnType type) {
        return Objects.requireNonNull(DatumFormatter.format(row, 0, type));
    }

    /** The date of a timestamp at midnight or infinity; null for another one. */
    private static @Nullable String wholeDay(Row row, ColumnType from) {
        boolean midnight = row.seconds(0) % SECONDS_PER_DAY == 0 && row.nanos(0) == 0;
        return midnight || isInfinite(row, from) ? day(row, from) : null;
    }

    private static String day(Row row, ColumnType from) {
        if (isInfinite(row, from)) {
            return format(row, from);
        }
        Row day = new Row(1);
        day.setLong(0, Math.floorDiv(row.seconds(0), (long) SECONDS_PER_DAY));
        return format(day, ColumnType.of(TypeKind.DATE));
    }

    private static boolean isInfinite(Row row, ColumnType from) {
        return format(row, from).endsWith("infinity");
    }
}
