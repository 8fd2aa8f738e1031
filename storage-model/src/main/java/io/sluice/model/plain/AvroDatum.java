package io.sluice.model.plain;

import io.sluice.model.error.BadInputException;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.ColumnType;
import io.sluice.model.schema.TableDef;
import io.sluice.model.text.DatumFormatter;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Columns as one Avro record in binary encoding, without a header (Avro 1.12, "Binary Encoding"). A column that may be
 * NULL is a union of null and its type.
 */
public final class AvroDatum implements RowBytes {
    private static final int VARINT_BYTES = 10;
    /** A union's branch, a length, and a UUID's text or a number. */
    private static final int MOST_FIXED_BYTES = 1 + VARINT_BYTES + 36;

    private final TableDef def;
    private final String option;
    private final String other;
    private final int[] columns;
    private final Column[] declared;

    /**
     * Creates the encoding of some columns.
     *
     * @param option the option that asked for Avro, for messages
     * @param other the option that has a form for every name and value, for messages
     * @throws BadInputException if a name is none in Avro
     */
    public AvroDatum(TableDef def, List<Integer> positions, String option, String other) {
        this.def = def;
        this.option = option;
        this.other = other;
        columns = positions.stream().mapToInt(Integer::intValue).toArray();
        declared = positions.stream().map(def.columns()::get).toArray(Column[]::new);
        checkName("table", def.name());
        for (Column column : declared) {
            checkName("column", column.name());
        }
    }

    private void checkName(String what, String name) {
        if (!name.matches("[A-Za-z_][A-Za-z0-9_]*")) {
            throw new BadInputException(option + ": " + what + " " + name + " is no name in Avro, which takes"
                    + " letters, digits and _; rename it in the schema, or use " + other);
        }
    }

    /** The schema of the record, as JSON. */
    public String schema() {
        return "{\"type\":\"record\",\"name\":\"" + def.name() + "\",\"fields\":["
                + Arrays.stream(declared)
                        .map(column -> "{\"name\":\"" + column.name() + "\",\"type\":"
                                + (column.nullable() ? "[\"null\"," + type(column.type()) + "]" : type(column.type()))
                                + "}")
                        .collect(Collectors.joining(","))
                + "]}";
    }

    private static String type(ColumnType type) {
        return switch (type.kind()) {
            case BOOL -> "\"boolean\"";
            case INT2, INT4 -> "\"int\"";
            case INT8 -> "\"long\"";
            case FLOAT4 -> "\"float\"";
            case FLOAT8 -> "\"double\"";
            case STRING, TIMETZ, INTERVAL, INET, BIT, JSON, ARRAY -> "\"string\"";
            case BYTES -> "\"bytes\"";
            case DECIMAL ->
                type.precision() == 0
                        ? "\"string\""
                        : "{\"type\":\"bytes\",\"logicalType\":\"decimal\",\"precision\":" + type.precision()
                                + ",\"scale\":" + type.scale() + "}";
            case DATE -> logical("int", "date");
            case TIME -> logical("long", "time-micros");
            case TIMESTAMP -> logical("long", "local-timestamp-micros");
            case TIMESTAMPTZ -> logical("long", "timestamp-micros");
            case UUID -> logical("string", "uuid");
        };
    }

    private static String logical(String type, String logicalType) {
        return "{\"type\":\"" + type + "\",\"logicalType\":\"" + logicalType + "\"}";
    }

    @Override
    public long maxBytes(Row row) {
        long most = 0;
        for (int i = 0; i < columns.length; i++) {
            most += MOST_FIXED_BYTES;
            if (!row.isNull(columns[i])) {
                most += switch (declared[i].type().kind()) {
                    case STRING, BYTES -> row.length(columns[i]);
                    case DECIMAL -> decimalBytes(declared[i].type(), row, columns[i]);
                    case TIMETZ, INTERVAL, INET, BIT, JSON, ARRAY ->
                        PlainColumns.textBytes(declared[i].type(), row, columns[i]);
                    default -> 0;
                };
            }
        }
        return most;
    }

    /** Upper bound for a text, or for the digits of the precision, of which one takes less than a byte. */
    private static long decimalBytes(ColumnType type, Row row, int slot) {
        return PlainColumns.decimalBytes(row, slot) + type.precision();
    }

    @Override
    public int put(Row row, byte[] buffer, int at) {
        int out = at;
        for (int i = 0; i < columns.length; i++) {
            if (declared[i].nullable()) {
                boolean isNull = row.isNull(columns[i]);
                buffer[out++] = (byte) (isNull ? 0 : 2);
                if (isNull) {
                    continue;
                }
            }
            out = putDatum(declared[i], row, columns[i], buffer, out);
        }
        return out;
    }

    private int putDatum(Column column, Row row, int slot, byte[] buffer, int at) {
        ColumnType type = column.type();
        return switch (type.kind()) {
            case BOOL -> {
                buffer[at] = (byte) row.longValue(slot);
                yield at + 1;
            }
            case INT2, INT4, INT8, TIME -> putLong(row.longValue(slot), buffer, at);
            case DATE -> putLong(PlainColumns.days(row, slot), buffer, at);
            case TIMESTAMP, TIMESTAMPTZ -> putLong(PlainColumns.micros(row, slot), buffer, at);
            case FLOAT4 ->
                putLittleEndian(Float.floatToIntBits((float) row.doubleValue(slot)), Integer.BYTES, buffer, at);
            case FLOAT8 -> putLittleEndian(Double.doubleToLongBits(row.doubleValue(slot)), Long.BYTES, buffer, at);
            case STRING, BYTES -> putBytes(row.buffer(slot), row.offset(slot), row.length(slot), buffer, at);
            case UUID, TIMETZ, INTERVAL, INET, BIT, JSON, ARRAY -> putText(column, row, slot, buffer, at);
            case DECIMAL ->
                type.precision() == 0
                        ? putText(column, row, slot, buffer, at)
                        : putDecimal(column, row, slot, buffer, at);
        };
    }

    private static int putText(Column column, Row row, int slot, byte[] buffer, int at) {
        byte[] text = PlainColumns.text(row, slot, column.type()).getBytes(StandardCharsets.UTF_8);
        return putBytes(text, 0, text.length, buffer, at);
    }

    /** Writes the coefficient at the scale of the type, as two's complement, big-endian. */
    private int putDecimal(Column column, Row row, int slot, byte[] buffer, int at) {
        BigInteger coefficient =
                switch (row.form(slot)) {
                    case VALUE -> BigInteger.valueOf(row.coefficient(slot));
                    case BIG_DECIMAL -> row.bigCoefficient(slot);
                    default ->
                        throw new BadInputException(option + ": a row has "
                                + DatumFormatter.format(row, slot, column.type()) + " in column " + column.name()
                                + ", and Avro's decimal has no such value; declare the column DECIMAL without a"
                                + " precision, or use " + other);
                };
        byte[] bytes = new BigDecimal(coefficient, -row.exponent(slot))
                .setScale(column.type().scale())
                .unscaledValue()
                .toByteArray();
        return putBytes(bytes, 0, bytes.length, buffer, at);
    }

    private static int putBytes(byte[] from, int offset, int length, byte[] buffer, int at) {
        int data = putLong(length, buffer, at);
        System.arraycopy(from, offset, buffer, data, length);
        return data + length;
    }

    /** Writes a number in zigzag order, in groups of seven bits, the least significant first. */
    private static int putLong(long value, byte[] buffer, int at) {
        int out = at;
        long rest = (value << 1) ^ (value >> (Long.SIZE - 1));
        for (; rest >>> 7 != 0; rest >>>= 7) {
            buffer[out++] = (byte) (0x80 | rest);
        }
        buffer[out] = (byte) rest;
        return out + 1;
    }

    private static int putLittleEndian(long value, int length, byte[] buffer, int at) {
        for (int i = 0; i < length; i++) {
            buffer[at + i] = (byte) (value >> (Byte.SIZE * i));
        }
        return at + length;
    }
}
