package io.sluice.importer.source.parquet;

import io.sluice.model.error.BadInputException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.ColumnReader;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.DecimalLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.IntLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimestampLogicalTypeAnnotation;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.Type;
import org.jspecify.annotations.Nullable;

/**
 * A field of a Parquet schema as a field of an Avro record: its schema, and the writer of its values. A field that has
 * no such form, such as an interval, becomes a record without data, which no column takes: a table that wants it is
 * refused by the field's name, for any other table it is ignored.
 *
 * @param name the field's name
 * @param schema Avro's type of the field
 * @param leaves the columns of the values; none for a field without a form
 * @param writer writes one value, or that there is none
 * @param flat how its values are copied; null if they are encoded one by one
 */
record ColumnEncoding(
        String name, Schema schema, List<ColumnDescriptor> leaves, Writer writer, FlatField.@Nullable Order flat) {
    /** Writes the value of one row and moves all leaves to the next one. */
    @FunctionalInterface
    interface Writer {
        void put(ColumnReader[] leaves, AvroBlock to);
    }

    /** Writes a reader's current value, which is not null. */
    @FunctionalInterface
    interface Value {
        void put(ColumnReader from, AvroBlock to);
    }

    /**
     * The form of a primitive type.
     *
     * @param schema Avro's type
     * @param value writes a value
     * @param flat how its values are copied; null if they are encoded one by one
     */
    record Form(Schema schema, Value value, FlatField.@Nullable Order flat) {}

    private static final String LOGICAL = "logicalType";
    private static final int UINT64_DIGITS = 20;
    private static final int JULIAN_DAY_OF_EPOCH = 2_440_588;
    private static final long MICROS_PER_DAY = 86_400_000_000L;
    private static final int NANOS_PER_MICRO = 1_000;

    /** The fields of a file's rows, in their order. */
    static List<ColumnEncoding> of(MessageType rows) {
        List<ColumnEncoding> fields = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (Type field : rows.getFields()) {
            if (!names.add(field.getName())) {
                throw new BadInputException("the Parquet schema has two fields called " + field.getName());
            }
            boolean flat = field.isPrimitive() && !field.isRepetition(Type.Repetition.REPEATED);
            // Types with names need different ones, and names of fields may be none.
            String typeName = "parquet_" + fields.size();
            Form form = flat ? ofPrimitive(field.asPrimitiveType(), typeName) : null;
            ColumnEncoding encoding =
                    flat ? form == null ? null : in(field, rows, form) : NestedEncoding.of(field, rows, typeName);
            fields.add(encoding == null ? without(field, typeName) : encoding);
        }
        return fields;
    }

    private static ColumnEncoding in(Type field, MessageType rows, Form form) {
        ColumnDescriptor leaf = rows.getColumnDescription(new String[] {field.getName()});
        Value value = form.value;
        if (!field.isRepetition(Type.Repetition.OPTIONAL)) {
            Writer writer = (from, to) -> {
                value.put(from[0], to);
                from[0].consume();
            };
            return new ColumnEncoding(field.getName(), form.schema, List.of(leaf), writer, form.flat);
        }
        Schema schema = Schema.createUnion(Schema.create(Schema.Type.NULL), form.schema);
        Writer writer = (from, to) -> {
            boolean there = from[0].getCurrentDefinitionLevel() > 0;
            to.putLong(there ? 1 : 0);
            if (there) {
                value.put(from[0], to);
            }
            from[0].consume();
        };
        return new ColumnEncoding(field.getName(), schema, List.of(leaf), writer, form.flat);
    }

    private static ColumnEncoding without(Type field, String typeName) {
        String kind = field.getLogicalTypeAnnotation() != null
                ? field.getLogicalTypeAnnotation().toString()
                : field.isPrimitive() ? "repeated field" : "group";
        Schema schema = Schema.createRecord(typeName, "Parquet " + kind, null, false, List.of());
        return new ColumnEncoding(field.getName(), schema, List.of(), (from, to) -> {}, null);
    }

    private static Form form(Schema schema, Value value) {
        return new Form(schema, value, null);
    }

    private static Schema logical(Schema.Type type, String logical) {
        Schema schema = Schema.create(type);
        schema.addProp(LOGICAL, logical);
        return schema;
    }

    private static Schema decimal(DecimalLogicalTypeAnnotation type) {
        return decimal(type.getPrecision(), type.getScale());
    }

    private static Schema decimal(int precision, int scale) {
        return LogicalTypes.decimal(precision, scale).addToSchema(Schema.create(Schema.Type.BYTES));
    }

    private static Form number(Schema schema, Value value) {
        return new Form(schema, value, FlatField.Order.STORED);
    }

    /** The form of a primitive type; null if it has none. */
    static @Nullable Form ofPrimitive(PrimitiveType type, String typeName) {
        LogicalTypeAnnotation logical = type.getLogicalTypeAnnotation();
        return switch (type.getPrimitiveTypeName()) {
            case BOOLEAN ->
                form(Schema.create(Schema.Type.BOOLEAN), (from, to) -> to.putByte(from.getBoolean() ? 1 : 0));
            case FLOAT ->
                new Form(
                        Schema.create(Schema.Type.FLOAT),
                        (from, to) -> to.putLittle(Float.floatToRawIntBits(from.getFloat()), Float.BYTES),
                        FlatField.Order.STORED);
            case DOUBLE ->
                new Form(
                        Schema.create(Schema.Type.DOUBLE),
                        (from, to) -> to.putLittle(Double.doubleToRawLongBits(from.getDouble()), Double.BYTES),
                        FlatField.Order.STORED);
            case INT32 -> ofInt(logical);
            case INT64 -> ofLong(logical);
            case INT96 ->
                form(
                        logical(Schema.Type.LONG, "timestamp-micros"),
                        (from, to) -> to.putLong(micros(from.getBinary().toByteBuffer())));
            case BINARY -> ofBinary(logical);
            case FIXED_LEN_BYTE_ARRAY -> ofFixed(logical, type.getTypeLength(), typeName);
        };
    }

    private static @Nullable Form ofInt(@Nullable LogicalTypeAnnotation logical) {
        Value plain = (from, to) -> to.putLong(from.getInteger());
        if (logical == null) {
            return number(Schema.create(Schema.Type.INT), plain);
        }
        if (logical instanceof DecimalLogicalTypeAnnotation decimal) {
            return new Form(decimal(decimal), (from, to) -> to.putDecimal(from.getInteger()), FlatField.Order.REVERSED);
        }
        if (logical instanceof IntLogicalTypeAnnotation whole) {
            return whole.isSigned() || whole.getBitWidth() < Integer.SIZE
                    ? number(Schema.create(Schema.Type.INT), plain)
                    : form(
                            Schema.create(Schema.Type.LONG),
                            (from, to) -> to.putLong(Integer.toUnsignedLong(from.getInteger())));
        }
        if (logical instanceof LogicalTypeAnnotation.DateLogicalTypeAnnotation) {
            return number(logical(Schema.Type.INT, "date"), plain);
        }
        boolean time = logical instanceof TimeLogicalTypeAnnotation;
        return time ? number(logical(Schema.Type.INT, "time-millis"), plain) : null;
    }

    private static @Nullable Form ofLong(@Nullable LogicalTypeAnnotation logical) {
        Value plain = (from, to) -> to.putLong(from.getLong());
        if (logical == null) {
            return number(Schema.create(Schema.Type.LONG), plain);
        }
        if (logical instanceof DecimalLogicalTypeAnnotation decimal) {
            return new Form(decimal(decimal), (from, to) -> to.putDecimal(from.getLong()), FlatField.Order.REVERSED);
        }
        if (logical instanceof IntLogicalTypeAnnotation whole) {
            return whole.isSigned()
                    ? number(Schema.create(Schema.Type.LONG), plain)
                    : form(decimal(UINT64_DIGITS, 0), (from, to) -> to.putUnsigned(from.getLong()));
        }
        if (logical instanceof TimestampLogicalTypeAnnotation timestamp) {
            String name =
                    switch (timestamp.getUnit()) {
                        case MILLIS -> "timestamp-millis";
                        case MICROS -> "timestamp-micros";
                        case NANOS -> "timestamp-nanos";
                    };
            return number(logical(Schema.Type.LONG, timestamp.isAdjustedToUTC() ? name : "local-" + name), plain);
        }
        boolean micros = logical instanceof TimeLogicalTypeAnnotation time
                && time.getUnit() == LogicalTypeAnnotation.TimeUnit.MICROS;
        return micros ? number(logical(Schema.Type.LONG, "time-micros"), plain) : null;
    }

    private static @Nullable Form ofBinary(@Nullable LogicalTypeAnnotation logical) {
        if (logical == null || logical instanceof LogicalTypeAnnotation.BsonLogicalTypeAnnotation) {
            return bytes(Schema.create(Schema.Type.BYTES));
        }
        if (logical instanceof DecimalLogicalTypeAnnotation decimal) {
            return bytes(decimal(decimal));
        }
        boolean text = logical instanceof LogicalTypeAnnotation.StringLogicalTypeAnnotation
                || logical instanceof LogicalTypeAnnotation.EnumLogicalTypeAnnotation
                || logical instanceof LogicalTypeAnnotation.JsonLogicalTypeAnnotation;
        return text ? bytes(Schema.create(Schema.Type.STRING)) : null;
    }

    private static Form bytes(Schema schema) {
        return new Form(schema, PageColumn::putBytes, FlatField.Order.STORED);
    }

    private static @Nullable Form ofFixed(@Nullable LogicalTypeAnnotation logical, int bytes, String typeName) {
        if (logical instanceof DecimalLogicalTypeAnnotation decimal) {
            return new Form(decimal(decimal), PageColumn::putBytes, stored(bytes));
        }
        if (logical instanceof LogicalTypeAnnotation.Float16LogicalTypeAnnotation) {
            return form(Schema.create(Schema.Type.FLOAT), (from, to) -> {
                short half = from.getBinary()
                        .toByteBuffer()
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .getShort();
                to.putLittle(Float.floatToRawIntBits(single(half)), Float.BYTES);
            });
        }
        boolean uuid = logical instanceof LogicalTypeAnnotation.UUIDLogicalTypeAnnotation;
        if (logical != null && !uuid) {
            return null;
        }
        Schema schema = Schema.createFixed(typeName, null, null, bytes);
        if (uuid) {
            schema.addProp(LOGICAL, "uuid");
        }
        return new Form(schema, (from, to) -> to.putFixed(from.getBinary().toByteBuffer()), stored(bytes));
    }

    /** Values without bytes have no width. */
    private static FlatField.@Nullable Order stored(int bytes) {
        return bytes > 0 ? FlatField.Order.STORED : null;
    }

    /**
     * Nanoseconds of a day and a Julian day, the lowest byte first, as microseconds since 1970, halves upwards. A time
     * beyond the range of a long becomes {@link Long#MIN_VALUE}: it is out of range for every column.
     */
    private static long micros(ByteBuffer int96) {
        ByteBuffer parts = int96.order(ByteOrder.LITTLE_ENDIAN);
        long nanos = parts.getLong();
        long day = parts.getInt() - (long) JULIAN_DAY_OF_EPOCH;
        try {
            long ofDay = Math.floorDiv(Math.addExact(nanos, NANOS_PER_MICRO / 2), (long) NANOS_PER_MICRO);
            return Math.addExact(Math.multiplyExact(day, MICROS_PER_DAY), ofDay);
        } catch (ArithmeticException e) {
            return Long.MIN_VALUE;
        }
    }

    /** A number of IEEE 754's binary16: a sign, 5 bits of exponent, 10 bits of fraction. */
    private static float single(short half) {
        int exponent = half >> 10 & 0x1f;
        int fraction = half & 0x3ff;
        float magnitude =
                switch (exponent) {
                    case 0 -> Math.scalb((float) fraction, -24);
                    case 0x1f -> fraction == 0 ? Float.POSITIVE_INFINITY : Float.NaN;
                    default -> Math.scalb((float) (fraction | 0x400), exponent - 25);
                };
        return half < 0 ? -magnitude : magnitude;
    }
}
