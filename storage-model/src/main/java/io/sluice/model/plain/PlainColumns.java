package io.sluice.model.plain;

import io.sluice.model.error.BadInputException;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.ColumnType;
import io.sluice.model.schema.TableDef;
import io.sluice.model.schema.TypeKind;
import io.sluice.model.text.DatumFormatter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/**
 * Columns one after the other, without tags. A reader finds their borders since all but the last have a fixed length,
 * or, in the ordered form, an end mark.
 *
 * <p>The ordered form differs in three ways: numbers have their sign flipped so that negative ones sort first, texts
 * and BYTES are escaped and end with {@code 00 01}, and types that are texts of PostgreSQL are refused, such as
 * DECIMAL.
 */
final class PlainColumns implements RowBytes {
    private static final int DECIMAL_BYTES = 48;
    /** Longest text of an INTERVAL: three parts of at most 16 characters, and a time. */
    private static final int MAX_TEXT_BYTES = 80;
    /** Bytes of a character of Java in UTF-8; a pair of them has four. */
    private static final int MAX_CHAR_BYTES = 3;

    private static final long MICROS_PER_SECOND = 1_000_000;

    private final int[] columns;
    private final Column[] declared;
    private final boolean ordered;

    private PlainColumns(int[] columns, Column[] declared, boolean ordered) {
        this.columns = columns;
        this.declared = declared;
        this.ordered = ordered;
    }

    /**
     * Creates the form of some columns.
     *
     * @param option the option that names the columns, for messages
     * @throws BadInputException if a column may be NULL, or its end could not be found
     */
    static PlainColumns of(TableDef def, List<Integer> positions, boolean ordered, String option) {
        Column[] declared = new Column[positions.size()];
        for (int i = 0; i < declared.length; i++) {
            Column column = def.columns().get(positions.get(i));
            declared[i] = column;
            if (column.nullable()) {
                throw new BadInputException(option + ": column " + column.name() + " may be NULL, and has no bytes for"
                        + " NULL; declare it NOT NULL"
                        + (option.equals("--value") ? ", or use --value json or avro" : ""));
            }
            if (ordered && isText(column.type().kind())) {
                throw new BadInputException(option + ": column " + column.name() + " is of type "
                        + column.type().kind()
                        + ", which has no ordered form; declare it as an integer, FLOAT8 or STRING, or use"
                        + " --key-encoding plain");
            }
            if (!ordered && i < declared.length - 1 && fixedBytes(column.type().kind()) == 0) {
                throw new BadInputException(option + ": column " + column.name() + " has no fixed length, so that the"
                        + " columns after it could not be found; name it last, or use "
                        + (option.equals("--value") ? "--value json or avro" : "--key-encoding ordered"));
            }
        }
        return new PlainColumns(positions.stream().mapToInt(Integer::intValue).toArray(), declared, ordered);
    }

    /** Length of every datum of that type; 0 if it varies. */
    private static int fixedBytes(TypeKind kind) {
        return switch (kind) {
            case BOOL -> 1;
            case INT2 -> Short.BYTES;
            case INT4, FLOAT4, DATE -> Integer.BYTES;
            case INT8, FLOAT8, TIME, TIMESTAMP, TIMESTAMPTZ -> Long.BYTES;
            case UUID -> 2 * Long.BYTES;
            case STRING, BYTES, DECIMAL, TIMETZ, INTERVAL, INET, BIT, JSON, ARRAY -> 0;
        };
    }

    /** Whether the form of a type is the text that PostgreSQL prints. */
    static boolean isText(TypeKind kind) {
        return switch (kind) {
            case DECIMAL, TIMETZ, INTERVAL, INET, BIT, JSON, ARRAY -> true;
            default -> false;
        };
    }

    /** Upper bound on the length of a text of such a type. */
    static long textBytes(ColumnType type, Row row, int slot) {
        return switch (type.kind()) {
            case DECIMAL -> decimalBytes(row, slot);
            case BIT -> row.length(slot);
            case JSON, ARRAY -> (long) MAX_CHAR_BYTES * text(row, slot, type).length();
            default -> MAX_TEXT_BYTES;
        };
    }

    @Override
    public long maxBytes(Row row) {
        long most = 0;
        for (int i = 0; i < columns.length; i++) {
            most += switch (declared[i].type().kind()) {
                // Escaping may double every byte; the end mark has two.
                case STRING, BYTES -> (ordered ? 2L : 1L) * row.length(columns[i]) + 2;
                case DECIMAL, TIMETZ, INTERVAL, INET, BIT, JSON, ARRAY ->
                    textBytes(declared[i].type(), row, columns[i]);
                default -> fixedBytes(declared[i].type().kind());
            };
        }
        return most;
    }

    /** Upper bound on the length of a DECIMAL's text: three bits of a wide coefficient give at most one digit. */
    static long decimalBytes(Row row, int column) {
        return switch (row.form(column)) {
            case BIG_DECIMAL ->
                fractionBytes(row, column) + row.bigCoefficient(column).bitLength() / 3;
            case VALUE -> fractionBytes(row, column);
            default -> DECIMAL_BYTES;
        };
    }

    private static long fractionBytes(Row row, int column) {
        return DECIMAL_BYTES + (long) Math.max(0, -row.exponent(column));
    }

    @Override
    public int put(Row row, byte[] buffer, int at) {
        int out = at;
        for (int i = 0; i < columns.length; i++) {
            out = put(declared[i], row, columns[i], buffer, out);
        }
        return out;
    }

    private int put(Column column, Row row, int slot, byte[] buffer, int at) {
        if (row.isNull(slot)) {
            throw new IllegalArgumentException("column " + column.name() + " is NULL");
        }
        TypeKind kind = column.type().kind();
        return switch (kind) {
            case BOOL -> putNumber(row.longValue(slot), 1, false, buffer, at);
            case INT2, INT4, INT8, TIME -> putNumber(row.longValue(slot), fixedBytes(kind), ordered, buffer, at);
            case DATE -> putNumber(days(row, slot), Integer.BYTES, ordered, buffer, at);
            case TIMESTAMP, TIMESTAMPTZ -> putNumber(micros(row, slot), Long.BYTES, ordered, buffer, at);
            case FLOAT4 -> putFloat(row, slot, buffer, at);
            case FLOAT8 -> putDouble(row, slot, buffer, at);
            case UUID ->
                putNumber(
                        row.uuidLeast(slot),
                        Long.BYTES,
                        false,
                        buffer,
                        putNumber(row.uuidMost(slot), Long.BYTES, false, buffer, at));
            case DECIMAL, TIMETZ, INTERVAL, INET, BIT, JSON, ARRAY ->
                putText(text(row, slot, column.type()), buffer, at);
            case STRING, BYTES -> putBytes(row, slot, buffer, at);
        };
    }

    /** Days since 1970-01-01; the infinities are the ends of the range. */
    static int days(Row row, int slot) {
        return (int) Math.max(Integer.MIN_VALUE, Math.min(Integer.MAX_VALUE, row.longValue(slot)));
    }

    /** Microseconds since 1970-01-01 UTC; infinity, and all after 294247-01-10, is the end of the range. */
    static long micros(Row row, int slot) {
        long seconds = row.seconds(slot);
        return seconds >= Long.MAX_VALUE / MICROS_PER_SECOND
                ? Long.MAX_VALUE
                : seconds * MICROS_PER_SECOND + row.nanos(slot) / 1_000;
    }

    private int putFloat(Row row, int slot, byte[] buffer, int at) {
        float value = (float) row.doubleValue(slot);
        int bits = Float.floatToIntBits(ordered && value == 0 ? 0 : value);
        // The sign is flipped by putNumber for numbers that are not negative; of negative ones all bits are.
        return putNumber(ordered && bits < 0 ? ~(bits ^ Integer.MIN_VALUE) : bits, Integer.BYTES, ordered, buffer, at);
    }

    private int putDouble(Row row, int slot, byte[] buffer, int at) {
        double value = row.doubleValue(slot);
        long bits = Double.doubleToLongBits(ordered && value == 0 ? 0 : value);
        return putNumber(ordered && bits < 0 ? ~(bits ^ Long.MIN_VALUE) : bits, Long.BYTES, ordered, buffer, at);
    }

    private static int putNumber(long value, int length, boolean flipSign, byte[] buffer, int at) {
        long rest = flipSign ? value ^ (1L << (Byte.SIZE * length - 1)) : value;
        for (int i = at + length - 1; i >= at; i--) {
            buffer[i] = (byte) rest;
            rest >>= Byte.SIZE;
        }
        return at + length;
    }

    private int putBytes(Row row, int slot, byte[] buffer, int at) {
        byte[] from = row.buffer(slot);
        int start = row.offset(slot);
        int length = row.length(slot);
        if (!ordered) {
            System.arraycopy(from, start, buffer, at, length);
            return at + length;
        }
        int out = at;
        for (int i = start; i < start + length; i++) {
            buffer[out++] = from[i];
            if (from[i] == 0) {
                buffer[out++] = (byte) 0xff;
            }
        }
        buffer[out] = 0;
        buffer[out + 1] = 1;
        return out + 2;
    }

    /** The text of a datum that is not NULL. */
    static String text(Row row, int slot, ColumnType type) {
        return Objects.requireNonNull(DatumFormatter.format(row, slot, type));
    }

    /** Writes a text as UTF-8. */
    static int putText(String text, byte[] buffer, int at) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        System.arraycopy(bytes, 0, buffer, at, bytes.length);
        return at + bytes.length;
    }
}
