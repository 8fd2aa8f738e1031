package io.sluice.importer.decode.avro;

import io.sluice.model.row.Row;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.ColumnType;
import io.sluice.model.schema.TypeKind;
import io.sluice.model.text.DatumParser;
import io.sluice.model.text.DatumProblem;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.avro.LogicalType;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Makes the reader that fills a column from values of a schema, or says that there is none. A string fills a column of
 * any type whose text it is, as a CSV field would; nested values fill a JSONB, or a STRING as JSON text, and arrays of
 * scalars an ARRAY; other types fill those that hold all their values or can say which they do not.
 */
final class ColumnReaders {
    private static final DatumProblem NULL_REFUSED =
            new DatumProblem(DatumProblem.Code.NOT_NULL, "is NOT NULL but the field is null");

    private ColumnReaders() {}

    /**
     * The reader for a column.
     *
     * @param roundNanos whether a timestamp with digits beyond microseconds is rounded, not refused
     * @param column position of the column
     * @throws Mismatch when some value of the schema can never be one of the column
     */
    static FieldReader of(Schema schema, Column definition, boolean roundNanos, int column) throws Mismatch {
        ColumnType type = definition.type();
        LogicalType logical = schema.getLogicalType();
        FieldReader reader =
                switch (schema.getType()) {
                    case NULL -> nulls(definition, column);
                    case UNION -> union(schema.getTypes(), definition, roundNanos, column);
                    case BOOLEAN ->
                        type.kind() == TypeKind.BOOL
                                ? (in, row) -> row.setLong(column, in.readBoolean() ? 1 : 0)
                                : null;
                    case INT, LONG ->
                        logical == null
                                ? NumberReaders.whole(schema.getType(), type, column)
                                : TemporalReaders.of(logical, type, roundNanos, column);
                    case FLOAT, DOUBLE -> NumberReaders.floating(schema.getType(), type, column);
                    case STRING -> new Text(DatumParser.of(type), column);
                    case BYTES ->
                        logical instanceof LogicalTypes.Decimal decimal
                                ? DecimalReader.ofBytes(decimal, type, column)
                                : bytes(type, column);
                    case FIXED -> fixed(schema, logical, type, column);
                    case ENUM -> type.kind() == TypeKind.STRING ? symbols(schema.getEnumSymbols(), type, column) : null;
                    case ARRAY, MAP, RECORD -> nested(schema, type, roundNanos, column);
                };
        if (reader == null) {
            throw new Mismatch(describe(schema) + " cannot fill a column of type " + type.sql() + hint(logical, type));
        }
        return reader;
    }

    private static @Nullable FieldReader nested(Schema schema, ColumnType type, boolean roundNanos, int column)
            throws Mismatch {
        boolean takes =
                switch (type.kind()) {
                    case STRING, JSON -> !isWithoutData(schema);
                    case ARRAY -> schema.getType() == Schema.Type.ARRAY;
                    default -> false;
                };
        return takes ? new NestedReader(schema, type, roundNanos, column) : null;
    }

    private static String hint(@Nullable LogicalType logical, ColumnType type) {
        boolean temporal =
                switch (type.kind()) {
                    case DATE, TIME, TIMESTAMP, TIMESTAMPTZ -> true;
                    default -> false;
                };
        return temporal && logical == null ? "; its schema names no logicalType that says what the number counts" : "";
    }

    private static FieldReader nulls(Column definition, int column) {
        return definition.nullable() ? (in, row) -> row.setNull(column) : (in, row) -> in.refuse(column, NULL_REFUSED);
    }

    private static FieldReader union(List<Schema> branches, Column definition, boolean roundNanos, int column)
            throws Mismatch {
        FieldReader[] readers = new FieldReader[branches.size()];
        for (int i = 0; i < readers.length; i++) {
            readers[i] = of(branches.get(i), definition, roundNanos, column);
        }
        return new Union(readers);
    }

    /** Reads the index of a branch, and a value of it. */
    @SuppressWarnings("ArrayRecordComponent") // it is not compared
    private record Union(FieldReader[] branches) implements FieldReader {
        @Override
        public void read(AvroInput in, Row row) throws MalformedDatum {
            branches[in.readIndex(branches.length, "a union")].read(in, row);
        }

        @Override
        public void readAll(AvroInput in, Row[] rows, int count) throws MalformedDatum {
            if (in.hasValues() && branches.length == 2) {
                branches[1].readAll(in, rows, count);
                return;
            }
            for (int i = 0; i < count; i++) {
                read(in, rows[i]);
            }
        }
    }

    /** Reads text, as a CSV field has it. */
    private record Text(DatumParser parser, int column) implements FieldReader {
        @Override
        public void read(AvroInput in, Row row) throws MalformedDatum {
            int length = in.readLength();
            int from = in.at;
            in.at = from + length;
            in.refuse(column, parser.parse(in.buffer, from, from + length, row, column));
        }

        @Override
        public void readAll(AvroInput in, Row[] rows, int count) throws MalformedDatum {
            for (int i = 0; i < count; i++) {
                read(in, rows[i]);
            }
        }
    }

    private static @Nullable FieldReader bytes(ColumnType type, int column) {
        if (type.kind() == TypeKind.STRING) {
            return new Text(DatumParser.of(type), column);
        }
        if (type.kind() != TypeKind.BYTES) {
            return null;
        }
        int most = mostBytes(type);
        DatumProblem tooLong = tooLong(type);
        return (in, row) -> {
            int length = in.readLength();
            int from = in.at;
            in.at = from + length;
            if (length > most) {
                in.refuse(column, tooLong);
            } else {
                row.setBytes(column, in.buffer, from, length);
            }
        };
    }

    private static @Nullable FieldReader fixed(
            Schema schema, @Nullable LogicalType logical, ColumnType type, int column) throws Mismatch {
        int size = schema.getFixedSize();
        if (logical instanceof LogicalTypes.Decimal decimal) {
            return DecimalReader.ofFixed(decimal, size, type, column);
        }
        if (type.kind() == TypeKind.UUID && size == 2 * Long.BYTES) {
            return (in, row) -> {
                in.require(size);
                row.setUuid(
                        column, AvroInput.longAt(in.buffer, in.at), AvroInput.longAt(in.buffer, in.at + Long.BYTES));
                in.at += size;
            };
        }
        if (type.kind() != TypeKind.BYTES) {
            return null;
        }
        if (size > mostBytes(type)) {
            throw new Mismatch(describe(schema) + " is " + tooLong(type).message());
        }
        return (in, row) -> {
            in.require(size);
            row.setBytes(column, in.buffer, in.at, size);
            in.at += size;
        };
    }

    private static int mostBytes(ColumnType type) {
        return type.maxLength() == 0 ? Integer.MAX_VALUE : type.maxLength();
    }

    private static DatumProblem tooLong(ColumnType type) {
        return new DatumProblem(
                DatumProblem.Code.TOO_LONG, "too long for " + type.sql() + ": at most " + mostBytes(type) + " bytes");
    }

    private static FieldReader symbols(List<String> symbols, ColumnType type, int column) {
        DatumParser parser = DatumParser.of(type);
        byte[][] texts = symbols.stream()
                .map(symbol -> symbol.getBytes(StandardCharsets.UTF_8))
                .toArray(byte[][]::new);
        return (in, row) -> {
            byte[] text = texts[in.readIndex(texts.length, "an enum")];
            in.refuse(column, parser.parse(text, 0, text.length, row, column));
        };
    }

    /** A field's schema and a column's type have no values in common, or too few. */
    static final class Mismatch extends Exception {
        Mismatch(String message) {
            super(message);
        }
    }

    /** Whether a schema stands for a type of another format that has no form in Avro. */
    private static boolean isWithoutData(Schema schema) {
        return schema.getType() == Schema.Type.RECORD && schema.getFields().isEmpty() && schema.getDoc() != null;
    }

    /** A schema in a few words, for messages. */
    private static String describe(Schema schema) {
        if (isWithoutData(schema)) {
            return schema.getDoc();
        }
        LogicalType logical = schema.getLogicalType();
        if (logical instanceof LogicalTypes.Decimal decimal) {
            return "Avro " + name(schema) + " (decimal(" + decimal.getPrecision() + "," + decimal.getScale() + "))";
        }
        return "Avro " + name(schema) + (logical == null ? "" : " (" + logical.getName() + ")");
    }

    private static String name(Schema schema) {
        return switch (schema.getType()) {
            case FIXED -> "fixed(" + schema.getFixedSize() + ")";
            default -> schema.getType().getName();
        };
    }
}
