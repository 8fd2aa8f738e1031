package io.sluice.importer.decode;

import io.sluice.model.error.BadInputException;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.TableDef;
import io.sluice.model.schema.TypeKind;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The written form of values in CSV files. Each pattern is one of {@link java.time.format.DateTimeFormatter}, for all
 * columns of the type, or {@code COLUMN=PATTERN} for one; of several that fit, the last one holds.
 *
 * @param nullTexts unquoted texts for NULL; none: an empty field without quotes
 * @param decimal character between the digits of a number before its fraction and those of it
 * @param thousands character between groups of three digits before the fraction; null: there are no groups
 * @param dates patterns of DATE columns
 * @param times patterns of TIME columns
 * @param timestamps patterns of TIMESTAMP and TIMESTAMPTZ columns
 */
public record ValueFormat(
        List<String> nullTexts,
        char decimal,
        @Nullable Character thousands,
        List<String> dates,
        List<String> times,
        List<String> timestamps)
        implements Serializable {
    private static final long serialVersionUID = 1L;

    private static final char POINT = '.';

    /** The text formats of PostgreSQL; an empty field is NULL. */
    public static final ValueFormat DEFAULT = new ValueFormat(List.of(), POINT, null, List.of(), List.of(), List.of());

    private static final Pattern OF_COLUMN = Pattern.compile("([\\p{L}_][\\p{L}\\p{N}_$]*)=(.*)");

    public ValueFormat {
        nullTexts = List.copyOf(nullTexts);
        dates = List.copyOf(dates);
        times = List.copyOf(times);
        timestamps = List.copyOf(timestamps);
    }

    /** The default with texts for NULL. */
    public static ValueFormat ofNull(String... texts) {
        return DEFAULT.withNull(List.of(texts));
    }

    /** Returns a copy with other texts for NULL. */
    public ValueFormat withNull(List<String> texts) {
        return new ValueFormat(texts, decimal, thousands, dates, times, timestamps);
    }

    /** Returns a copy with another form of numbers. */
    public ValueFormat withNumbers(char newDecimal, @Nullable Character newThousands) {
        return new ValueFormat(nullTexts, newDecimal, newThousands, dates, times, timestamps);
    }

    /** Returns a copy with other patterns. */
    public ValueFormat withPatterns(List<String> newDates, List<String> newTimes, List<String> newTimestamps) {
        return new ValueFormat(nullTexts, decimal, thousands, newDates, newTimes, newTimestamps);
    }

    /** Adds what is wrong, without a table, with the options of their names. */
    void validate(List<String> problems) {
        if (decimal == '+' || decimal == '-' || Character.isLetterOrDigit(decimal) || Character.isSurrogate(decimal)) {
            problems.add("--decimal must be neither a letter, a digit nor a sign");
        }
        if (thousands != null) {
            if (thousands == decimal) {
                problems.add("--decimal and --thousands are the same character");
            }
            if (thousands == '+'
                    || thousands == '-'
                    || Character.isLetterOrDigit(thousands)
                    || Character.isSurrogate(thousands)) {
                problems.add("--thousands must be neither a letter, a digit nor a sign");
            }
        }
        validate("--date-format", dates, problems);
        validate("--time-format", times, problems);
        validate("--timestamp-format", timestamps, problems);
    }

    private static void validate(String option, List<String> patterns, List<String> problems) {
        for (String typed : patterns) {
            try {
                PatternConverter unused = new PatternConverter(patternOf(typed), TypeKind.TIMESTAMP);
            } catch (IllegalArgumentException e) {
                problems.add(option + " " + typed + ": " + e.getMessage());
            }
        }
    }

    /**
     * Checks that the columns with patterns exist, and have the patterns' types.
     *
     * @throws BadInputException naming all problems
     */
    public void validate(TableDef table) {
        List<String> problems = new ArrayList<>();
        validate(table, "--date-format", dates, List.of(TypeKind.DATE), problems);
        validate(table, "--time-format", times, List.of(TypeKind.TIME), problems);
        validate(table, "--timestamp-format", timestamps, List.of(TypeKind.TIMESTAMP, TypeKind.TIMESTAMPTZ), problems);
        if (!problems.isEmpty()) {
            throw new BadInputException(String.join("\n", problems));
        }
    }

    private static void validate(
            TableDef table, String option, List<String> patterns, List<TypeKind> kinds, List<String> problems) {
        for (String typed : patterns) {
            String name = columnOf(typed);
            if (name == null) {
                continue;
            }
            int column = table.columnIndex(name);
            if (column < 0) {
                problems.add(option + " " + typed + ": table " + table.name() + " has no column " + name);
            } else if (!kinds.contains(table.columns().get(column).type().kind())) {
                problems.add(option + " " + typed + ": column " + name + " is "
                        + table.columns().get(column).type().sql() + "; the option is for "
                        + String.join(
                                " and ", kinds.stream().map(TypeKind::name).toList()));
            }
        }
    }

    /** The converter for the texts of a column; null if they have the usual form. */
    @Nullable
    ValueConverter converter(Column column) {
        return converter(column.type().kind(), column.name());
    }

    /**
     * The converter for texts of a type.
     *
     * @param column name of the column
     * @return null if the texts have the usual form
     */
    public @Nullable ValueConverter converter(TypeKind kind, String column) {
        return switch (kind) {
            case INT2, INT4, INT8, FLOAT4, FLOAT8, DECIMAL ->
                decimal == POINT && thousands == null ? null : new NumberConverter(decimal, thousands);
            case DATE -> pattern(dates, kind, column);
            case TIME -> pattern(times, kind, column);
            case TIMESTAMP, TIMESTAMPTZ -> pattern(timestamps, kind, column);
            case BOOL, STRING, BYTES, UUID, TIMETZ, INTERVAL, INET, BIT, JSON, ARRAY -> null;
        };
    }

    private static @Nullable ValueConverter pattern(List<String> patterns, TypeKind kind, String column) {
        String found = null;
        boolean own = false;
        for (String typed : patterns) {
            String name = columnOf(typed);
            if (name == null ? !own : name.equals(column)) {
                own = name != null;
                found = patternOf(typed);
            }
        }
        return found == null ? null : new PatternConverter(found, kind);
    }

    private static @Nullable String columnOf(String typed) {
        Matcher matcher = OF_COLUMN.matcher(typed);
        return matcher.matches() ? matcher.group(1) : null;
    }

    private static String patternOf(String typed) {
        Matcher matcher = OF_COLUMN.matcher(typed);
        return matcher.matches() ? matcher.group(2) : typed;
    }

    /** The parts that differ from the default, in words. */
    String words() {
        StringBuilder out = new StringBuilder();
        if (!nullTexts.isEmpty()) {
            out.append(", NULL as ")
                    .append(String.join(
                            " or ", nullTexts.stream().map(CsvDialect::quoted).toList()));
        }
        if (decimal != POINT) {
            out.append(", decimal ").append(CsvDialect.quoted(String.valueOf(decimal)));
        }
        if (thousands != null) {
            out.append(", thousands ").append(CsvDialect.quoted(thousands.toString()));
        }
        append(out, "dates", dates);
        append(out, "times", times);
        append(out, "timestamps", timestamps);
        return out.toString();
    }

    private static void append(StringBuilder out, String what, List<String> patterns) {
        if (!patterns.isEmpty()) {
            out.append(", ").append(what).append(" as ").append(String.join(" or ", patterns));
        }
    }
}
