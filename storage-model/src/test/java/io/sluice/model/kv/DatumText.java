package io.sluice.model.kv;

import io.sluice.model.row.Row;
import io.sluice.model.schema.TypeKind;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.HexFormat;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Parses the text forms of the test vectors; not a parser for users. */
final class DatumText {
    private static final long MICROS_PER_DAY = 86_400_000_000L;

    private DatumText() {}

    static TypeKind kind(String type) {
        return switch (type) {
            case "INT" -> TypeKind.INT8;
            case "FLOAT" -> TypeKind.FLOAT8;
            default -> TypeKind.valueOf(type);
        };
    }

    static void set(TypeKind kind, @Nullable String text, Row row, int column) {
        if (text == null) {
            row.setNull(column);
            return;
        }
        switch (kind) {
            case INT2, INT4, INT8 -> row.setLong(column, Long.parseLong(text));
            case BOOL -> row.setLong(column, text.equals("true") ? 1 : 0);
            case FLOAT4, FLOAT8 -> row.setDouble(column, Double.parseDouble(text));
            case DECIMAL -> setDecimal(text, row, column);
            case STRING -> setBytes(text.getBytes(StandardCharsets.UTF_8), row, column);
            case BYTES -> setBytes(HexFormat.of().parseHex(text), row, column);
            case DATE -> row.setLong(column, days(text));
            case TIME ->
                row.setLong(
                        column,
                        text.equals("24:00:00")
                                ? MICROS_PER_DAY
                                : LocalTime.parse(text).toNanoOfDay() / 1000);
            case TIMESTAMP, TIMESTAMPTZ -> setTimestamp(text, row, column);
            case INTERVAL -> {
                String[] parts = text.split(" ", -1);
                row.setInterval(
                        column, Integer.parseInt(parts[0]), Integer.parseInt(parts[1]), Long.parseLong(parts[2]));
            }
            case TIMETZ, INET, BIT, JSON, ARRAY -> throw new IllegalArgumentException("no vector has type " + kind);
            case UUID -> {
                UUID uuid = UUID.fromString(text);
                row.setUuid(column, uuid.getMostSignificantBits(), uuid.getLeastSignificantBits());
            }
        }
    }

    private static void setBytes(byte[] bytes, Row row, int column) {
        row.setBytes(column, bytes, 0, bytes.length);
    }

    private static void setDecimal(String text, Row row, int column) {
        switch (text) {
            case "NaN" -> row.setSpecialDecimal(column, Row.Form.DECIMAL_NAN);
            case "Infinity" -> row.setSpecialDecimal(column, Row.Form.DECIMAL_POSITIVE_INFINITY);
            case "-Infinity" -> row.setSpecialDecimal(column, Row.Form.DECIMAL_NEGATIVE_INFINITY);
            default -> {
                BigDecimal decimal = new BigDecimal(text);
                row.setBigDecimal(column, decimal.unscaledValue(), -decimal.scale());
            }
        }
    }

    private static long days(String text) {
        if (text.startsWith("days:")) {
            return Long.parseLong(text.substring("days:".length()));
        }
        return switch (text) {
            case "infinity" -> Long.MAX_VALUE;
            case "-infinity" -> Long.MIN_VALUE;
            default -> LocalDate.parse(text).toEpochDay();
        };
    }

    private static void setTimestamp(String text, Row row, int column) {
        switch (text) {
            case "infinity" -> row.setTimestamp(column, 9_224_318_015_999L, 999_999_000);
            case "-infinity" -> row.setTimestamp(column, -210_866_803_200L, 0);
            default -> {
                String iso = text.replace(' ', 'T');
                boolean zoned = iso.indexOf('+') >= 0 || iso.lastIndexOf('-') > iso.indexOf('T');
                OffsetDateTime time = zoned
                        ? OffsetDateTime.parse(iso)
                        : LocalDateTime.parse(iso).atOffset(ZoneOffset.UTC);
                row.setTimestamp(column, time.toEpochSecond(), time.getNano());
            }
        }
    }
}
