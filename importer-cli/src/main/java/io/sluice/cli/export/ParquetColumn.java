package io.sluice.cli.export;

import io.sluice.model.row.Row;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.ColumnType;
import io.sluice.model.text.DatumFormatter;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.apache.parquet.column.ColumnWriter;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeUnit;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Type.Repetition;
import org.apache.parquet.schema.Types;
import org.jspecify.annotations.Nullable;

/**
 * A column as a field of Parquet, and the writer of its values. A DECIMAL without a precision is a string, because its
 * values have exponents of their own.
 */
record ParquetColumn(Column column, PrimitiveType type) {
    private static final int INT32_DIGITS = 9;
    private static final int INT64_DIGITS = 18;
    private static final int UUID_BYTES = 16;
    private static final int INT2_BITS = 16;
    private static final long MICROS_PER_SECOND = 1_000_000;

    static ParquetColumn of(Column column) {
        ColumnType type = column.type();
        LogicalTypeAnnotation logical = logical(type);
        Types.PrimitiveBuilder<PrimitiveType> field =
                Types.primitive(primitive(type), column.nullable() ? Repetition.OPTIONAL : Repetition.REQUIRED);
        if (logical != null) {
            field = field.as(logical);
        }
        if (primitive(type) == PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY) {
            field = field.length(UUID_BYTES);
        }
        return new ParquetColumn(column, field.named(column.name()));
    }

    private static PrimitiveTypeName primitive(ColumnType type) {
        return switch (type.kind()) {
            case BOOL -> PrimitiveTypeName.BOOLEAN;
            case INT2, INT4, DATE -> PrimitiveTypeName.INT32;
            case INT8, TIME, TIMESTAMP, TIMESTAMPTZ -> PrimitiveTypeName.INT64;
            case FLOAT4 -> PrimitiveTypeName.FLOAT;
            case FLOAT8 -> PrimitiveTypeName.DOUBLE;
            case STRING, BYTES, TIMETZ, INTERVAL, INET, BIT, JSON, ARRAY -> PrimitiveTypeName.BINARY;
            case UUID -> PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY;
            case DECIMAL ->
                type.precision() == 0 || type.precision() > INT64_DIGITS
                        ? PrimitiveTypeName.BINARY
                        : type.precision() > INT32_DIGITS ? PrimitiveTypeName.INT64 : PrimitiveTypeName.INT32;
        };
    }

    private static @Nullable LogicalTypeAnnotation logical(ColumnType type) {
        return switch (type.kind()) {
            case INT2 -> LogicalTypeAnnotation.intType(INT2_BITS, true);
            case DATE -> LogicalTypeAnnotation.dateType();
            case TIME -> LogicalTypeAnnotation.timeType(false, TimeUnit.MICROS);
            case TIMESTAMP -> LogicalTypeAnnotation.timestampType(false, TimeUnit.MICROS);
            case TIMESTAMPTZ -> LogicalTypeAnnotation.timestampType(true, TimeUnit.MICROS);
            case STRING, TIMETZ, INTERVAL, INET, BIT, ARRAY -> LogicalTypeAnnotation.stringType();
            case JSON -> LogicalTypeAnnotation.jsonType();
            case UUID -> LogicalTypeAnnotation.uuidType();
            case DECIMAL ->
                type.precision() == 0
                        ? LogicalTypeAnnotation.stringType()
                        : LogicalTypeAnnotation.decimalType(type.scale(), type.precision());
            case BOOL, INT4, INT8, FLOAT4, FLOAT8, BYTES -> null;
        };
    }

    /** Writes the datum of a slot, or that it is NULL. */
    void put(Row row, int slot, ColumnWriter out) {
        int level = column.nullable() ? 1 : 0;
        if (row.isNull(slot)) {
            out.writeNull(0, 0);
            return;
        }
        switch (column.type().kind()) {
            case BOOL -> out.write(row.longValue(slot) != 0, 0, level);
            case INT2, INT4, DATE -> out.write((int) row.longValue(slot), 0, level);
            case INT8, TIME -> out.write(row.longValue(slot), 0, level);
            case TIMESTAMP, TIMESTAMPTZ ->
                out.write(row.seconds(slot) * MICROS_PER_SECOND + row.nanos(slot) / 1_000, 0, level);
            case FLOAT4 -> out.write((float) row.doubleValue(slot), 0, level);
            case FLOAT8 -> out.write(row.doubleValue(slot), 0, level);
            // The library may keep the bytes for statistics and dictionaries.
            case STRING, BYTES ->
                out.write(Binary.fromReusedByteArray(row.buffer(slot), row.offset(slot), row.length(slot)), 0, level);
            case UUID ->
                out.write(
                        Binary.fromConstantByteArray(ByteBuffer.allocate(UUID_BYTES)
                                .putLong(row.uuidMost(slot))
                                .putLong(row.uuidLeast(slot))
                                .array()),
                        0,
                        level);
            case DECIMAL -> putDecimal(row, slot, out, level);
            case TIMETZ, INTERVAL, INET, BIT, JSON, ARRAY ->
                out.write(
                        Binary.fromString(Objects.requireNonNull(DatumFormatter.format(row, slot, column.type()))),
                        0,
                        level);
        }
    }

    private void putDecimal(Row row, int slot, ColumnWriter out, int level) {
        ColumnType decimal = column.type();
        if (decimal.precision() == 0) {
            out.write(Binary.fromString(Objects.requireNonNull(DatumFormatter.format(row, slot, decimal))), 0, level);
            return;
        }
        BigInteger coefficient = row.form(slot) == Row.Form.BIG_DECIMAL
                ? row.bigCoefficient(slot)
                : BigInteger.valueOf(row.coefficient(slot));
        BigInteger unscaled = new BigDecimal(coefficient, -row.exponent(slot))
                .setScale(decimal.scale())
                .unscaledValue();
        switch (type.getPrimitiveTypeName()) {
            case INT32 -> out.write(unscaled.intValueExact(), 0, level);
            case INT64 -> out.write(unscaled.longValueExact(), 0, level);
            default -> out.write(Binary.fromConstantByteArray(unscaled.toByteArray()), 0, level);
        }
    }
}
