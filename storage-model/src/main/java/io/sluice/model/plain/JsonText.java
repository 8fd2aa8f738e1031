package io.sluice.model.plain;

import io.sluice.model.row.Row;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.TableDef;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * Columns as one JSON object in UTF-8 without blanks, in the order of declaration. Numbers are numbers, except NaN and
 * the infinities. JSON is written as it is. Other types are texts as PostgreSQL prints them.
 */
final class JsonText implements RowBytes {
    /** Longest text of a number, date, time, timestamp, interval, address or UUID, with quotes. */
    private static final int SHORT_BYTES = 96;
    /** A character takes at most six bytes: backslash, u, and four digits. */
    private static final int ESCAPED_BYTES = 6;

    private static final byte[] NULL = "null".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

    private final int[] columns;
    private final Column[] declared;
    /** The name of each column, with what is around it. */
    private final byte[][] names;

    private final int fixedBytes;

    JsonText(TableDef def, List<Integer> positions) {
        columns = positions.stream().mapToInt(Integer::intValue).toArray();
        declared = positions.stream().map(def.columns()::get).toArray(Column[]::new);
        names = new byte[columns.length][];
        int fixed = 2;
        for (int i = 0; i < columns.length; i++) {
            byte[] name = declared[i].name().getBytes(StandardCharsets.UTF_8);
            byte[] text = new byte[ESCAPED_BYTES * name.length + 4];
            int end = 0;
            text[end++] = (byte) (i == 0 ? '{' : ',');
            end = putString(name, 0, name.length, text, end);
            text[end++] = ':';
            names[i] = Arrays.copyOf(text, end);
            fixed += end + SHORT_BYTES;
        }
        fixedBytes = fixed;
    }

    @Override
    public long maxBytes(Row row) {
        long most = fixedBytes;
        for (int i = 0; i < columns.length; i++) {
            if (row.isNull(columns[i])) {
                continue;
            }
            switch (declared[i].type().kind()) {
                case STRING, BYTES -> most += (long) ESCAPED_BYTES * row.length(columns[i]);
                case ARRAY -> most += ESCAPED_BYTES * PlainColumns.textBytes(declared[i].type(), row, columns[i]);
                case DECIMAL, BIT, JSON -> most += PlainColumns.textBytes(declared[i].type(), row, columns[i]);
                default -> {}
            }
        }
        return most;
    }

    @Override
    public int put(Row row, byte[] buffer, int at) {
        int out = at;
        if (columns.length == 0) {
            buffer[out++] = '{';
        }
        for (int i = 0; i < columns.length; i++) {
            System.arraycopy(names[i], 0, buffer, out, names[i].length);
            out = putDatum(declared[i], row, columns[i], buffer, out + names[i].length);
        }
        buffer[out] = '}';
        return out + 1;
    }

    private static int putDatum(Column column, Row row, int slot, byte[] buffer, int at) {
        if (row.isNull(slot)) {
            System.arraycopy(NULL, 0, buffer, at, NULL.length);
            return at + NULL.length;
        }
        return switch (column.type().kind()) {
            case INT2, INT4, INT8 -> putLong(row.longValue(slot), buffer, at);
            case STRING -> putString(row.buffer(slot), row.offset(slot), row.length(slot), buffer, at);
            case BYTES -> putHex(row.buffer(slot), row.offset(slot), row.length(slot), buffer, at);
            case BOOL -> PlainColumns.putText(text(column, row, slot), buffer, at);
            case FLOAT4, FLOAT8, DECIMAL -> {
                String text = text(column, row, slot);
                boolean number = Character.isDigit(text.charAt(text.length() - 1));
                yield PlainColumns.putText(number ? text : '"' + text + '"', buffer, at);
            }
            case DATE, TIME, TIMETZ, TIMESTAMP, TIMESTAMPTZ, INTERVAL, UUID, INET, BIT ->
                PlainColumns.putText('"' + text(column, row, slot) + '"', buffer, at);
            case JSON -> PlainColumns.putText(text(column, row, slot), buffer, at);
            case ARRAY -> {
                byte[] array = text(column, row, slot).getBytes(StandardCharsets.UTF_8);
                yield putString(array, 0, array.length, buffer, at);
            }
        };
    }

    private static String text(Column column, Row row, int slot) {
        return PlainColumns.text(row, slot, column.type());
    }

    private static int putLong(long value, byte[] buffer, int at) {
        if (value == Long.MIN_VALUE) {
            return PlainColumns.putText(Long.toString(value), buffer, at);
        }
        long rest = Math.abs(value);
        int length = value < 0 ? 2 : 1;
        for (long left = rest; left >= 10; left /= 10) {
            length++;
        }
        buffer[at] = '-';
        for (int i = at + length - 1, digits = value < 0 ? length - 1 : length; digits > 0; i--, digits--) {
            buffer[i] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        return at + length;
    }

    /** Writes UTF-8 as a JSON string: quotes, backslashes and control characters are escaped. */
    private static int putString(byte[] text, int offset, int length, byte[] buffer, int at) {
        int out = at;
        buffer[out++] = '"';
        for (int i = offset; i < offset + length; i++) {
            byte next = text[i];
            if (next == '"' || next == '\\') {
                buffer[out++] = '\\';
                buffer[out++] = next;
            } else if (next >= 0 && next < ' ') {
                out = PlainColumns.putText("\\u00", buffer, out);
                buffer[out++] = HEX[next >> 4];
                buffer[out++] = HEX[next & 15];
            } else {
                buffer[out++] = next;
            }
        }
        buffer[out] = '"';
        return out + 1;
    }

    /** Writes BYTES as PostgreSQL prints them: a backslash, x, and two digits per byte. */
    private static int putHex(byte[] bytes, int offset, int length, byte[] buffer, int at) {
        int out = PlainColumns.putText("\"\\\\x", buffer, at);
        for (int i = offset; i < offset + length; i++) {
            buffer[out++] = HEX[(bytes[i] >> 4) & 15];
            buffer[out++] = HEX[bytes[i] & 15];
        }
        buffer[out] = '"';
        return out + 1;
    }
}
