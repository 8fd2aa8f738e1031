package io.sluice.model.schema;

import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.sf.jsqlparser.statement.create.table.ColDataType;

/** Maps CockroachDB's and PostgreSQL's type names to column types. INT and INTEGER have 8 bytes as in CockroachDB. */
final class SqlTypes {
    private static final String SUPPORTED = "BOOL, INT2, INT4, INT8, FLOAT4, FLOAT8, DECIMAL[(p[,s])], STRING[(n)],"
            + " VARCHAR[(n)], CHAR[(n)], BYTES, DATE, TIME[(p)], TIMESTAMP[(p)], TIMESTAMPTZ[(p)] and UUID";

    private static final int MAX_DECIMAL_PRECISION = 1000;
    private static final int MAX_FLOAT4_BITS = 24;
    private static final int MAX_FLOAT8_BITS = 53;

    /** A type name with optional numbers in parentheses, which may be inside the name. */
    private static final Pattern SHAPE = Pattern.compile("([^(]*)(?:\\(([^)]*)\\))?(.*)");

    private static final int[] NO_NUMBERS = {};

    private SqlTypes() {}

    /**
     * Maps a parsed type to a column type.
     *
     * @throws BadType if the type is not supported; the message says why
     */
    static ColumnType of(ColDataType written) throws BadType {
        String text = written.getDataType();
        List<String> arguments = written.getArgumentsStringList();
        if (arguments != null && !arguments.isEmpty()) {
            text += "(" + String.join(",", arguments) + ")";
        }
        Matcher shape = SHAPE.matcher(text);
        if (!shape.matches() || !written.getArrayData().isEmpty() || written.getCharacterSet() != null) {
            throw unknown(written.toString());
        }
        String name = (shape.group(1) + " " + shape.group(3)).trim().replaceAll("\\s+", " ");
        return of(name, numbers(shape.group(2), text), text);
    }

    private static int[] numbers(String list, String text) throws BadType {
        if (list == null) {
            return NO_NUMBERS;
        }
        String[] parts = list.split(",", -1);
        int[] numbers = new int[parts.length];
        for (int i = 0; i < parts.length; i++) {
            String part = parts[i].trim();
            if (!part.matches("[0-9]{1,9}")) {
                throw unknown(text);
            }
            numbers[i] = Integer.parseInt(part);
        }
        return numbers;
    }

    private static ColumnType of(String name, int[] numbers, String text) throws BadType {
        return switch (name.toUpperCase(Locale.ROOT)) {
            case "BOOL", "BOOLEAN" -> plain(TypeKind.BOOL, numbers, text);
            case "INT2", "SMALLINT" -> plain(TypeKind.INT2, numbers, text);
            case "INT4" -> plain(TypeKind.INT4, numbers, text);
            case "INT8", "INT", "INTEGER", "BIGINT", "INT64" -> plain(TypeKind.INT8, numbers, text);
            case "FLOAT4", "REAL" -> plain(TypeKind.FLOAT4, numbers, text);
            case "FLOAT8", "DOUBLE PRECISION" -> plain(TypeKind.FLOAT8, numbers, text);
            case "FLOAT" -> floating(numbers, text);
            case "DECIMAL", "NUMERIC", "DEC" -> decimal(numbers, text);
            case "STRING", "TEXT", "VARCHAR", "CHARACTER VARYING", "CHAR VARYING" -> string(numbers, 0, text);
            case "CHAR", "CHARACTER" -> string(numbers, 1, text);
            case "BYTES", "BYTEA", "BLOB" -> plain(TypeKind.BYTES, numbers, text);
            case "DATE" -> plain(TypeKind.DATE, numbers, text);
            case "TIME", "TIME WITHOUT TIME ZONE" -> temporal(TypeKind.TIME, numbers, text);
            case "TIMESTAMP", "TIMESTAMP WITHOUT TIME ZONE" -> temporal(TypeKind.TIMESTAMP, numbers, text);
            case "TIMESTAMPTZ", "TIMESTAMP WITH TIME ZONE" -> temporal(TypeKind.TIMESTAMPTZ, numbers, text);
            case "UUID" -> plain(TypeKind.UUID, numbers, text);
            default -> throw unknown(text);
        };
    }

    private static ColumnType plain(TypeKind kind, int[] numbers, String text) throws BadType {
        if (numbers.length != 0) {
            throw new BadType("type " + text + " takes nothing in parentheses; leave them out");
        }
        return ColumnType.of(kind);
    }

    /** Maps FLOAT(bits) of the SQL standard. */
    private static ColumnType floating(int[] numbers, String text) throws BadType {
        if (numbers.length == 0) {
            return ColumnType.of(TypeKind.FLOAT8);
        }
        int bits = only(numbers, 1, MAX_FLOAT8_BITS, text);
        return ColumnType.of(bits <= MAX_FLOAT4_BITS ? TypeKind.FLOAT4 : TypeKind.FLOAT8);
    }

    private static ColumnType decimal(int[] numbers, String text) throws BadType {
        if (numbers.length == 0) {
            return ColumnType.of(TypeKind.DECIMAL);
        }
        int precision = numbers[0];
        int scale = numbers.length > 1 ? numbers[1] : 0;
        if (numbers.length > 2 || precision < 1 || precision > MAX_DECIMAL_PRECISION || scale > precision) {
            throw new BadType("type " + text + ": the precision must be 1 to " + MAX_DECIMAL_PRECISION
                    + " digits and the scale no more than that");
        }
        return new ColumnType(TypeKind.DECIMAL, precision, scale, 0);
    }

    private static ColumnType string(int[] numbers, int defaultLength, String text) throws BadType {
        int length = numbers.length == 0 ? defaultLength : only(numbers, 1, Integer.MAX_VALUE, text);
        return new ColumnType(TypeKind.STRING, 0, 0, length);
    }

    private static ColumnType temporal(TypeKind kind, int[] numbers, String text) throws BadType {
        return numbers.length == 0
                ? ColumnType.of(kind)
                : new ColumnType(kind, only(numbers, 0, ColumnType.DEFAULT_TIME_PRECISION, text), 0, 0);
    }

    private static int only(int[] numbers, int min, int max, String text) throws BadType {
        if (numbers.length != 1 || numbers[0] < min || numbers[0] > max) {
            throw new BadType("type " + text + ": one number"
                    + (max == Integer.MAX_VALUE ? " from " + min : " from " + min + " to " + max)
                    + " must stand in the parentheses");
        }
        return numbers[0];
    }

    private static BadType unknown(String text) {
        return new BadType("unknown type " + text + "; supported are " + SUPPORTED);
    }

    /** The type is not supported. */
    static final class BadType extends Exception {
        BadType(String message) {
            super(message);
        }
    }
}
