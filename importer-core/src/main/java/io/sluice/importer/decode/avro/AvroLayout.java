package io.sluice.importer.decode.avro;

import io.sluice.importer.decode.ColumnDefaults;
import io.sluice.importer.decode.avro.ColumnReaders.Mismatch;
import io.sluice.model.error.BadInputException;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.TableDef;
import io.sluice.model.text.DatumProblem;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.jspecify.annotations.Nullable;

/** The plan by which records of one writer's schema become rows of one table. One per decoder. */
final class AvroLayout {
    private final FieldReader[] fields;
    /** The column that each field fills; -1 for none. */
    private final int[] columns;

    private final DefaultValue[] defaults;
    private final ColumnDefaults columnDefaults;

    private AvroLayout(
            List<FieldReader> fields,
            List<Integer> columns,
            List<DefaultValue> defaults,
            ColumnDefaults columnDefaults) {
        this.fields = fields.toArray(new FieldReader[0]);
        this.columns = columns.stream().mapToInt(Integer::intValue).toArray();
        this.defaults = defaults.toArray(new DefaultValue[0]);
        this.columnDefaults = columnDefaults;
    }

    /** Reads one record into a row that was cleared. */
    void read(AvroInput in, Row row) throws MalformedDatum {
        for (FieldReader field : fields) {
            field.read(in, row);
        }
        fillOthers(row);
    }

    /** Reads one record, whose fields have each an input of their own, into a row that was cleared. */
    void read(AvroInput[] in, Row row) throws MalformedDatum {
        for (int i = 0; i < fields.length; i++) {
            fields[i].read(in[i], row);
        }
        fillOthers(row);
    }

    /** Reads several records field by field, as {@link #read(AvroInput[], Row)} does one. */
    void readAll(ColumnInput[] in, Row[] rows, int count) throws MalformedDatum {
        for (int i = 0; i < fields.length; i++) {
            if (in[i].byNumber()) {
                in[i].copyAll(fields[i], columns[i], rows, count);
            } else {
                fields[i].readAll(in[i], rows, count);
            }
        }
        for (int i = 0; i < count; i++) {
            fillOthers(rows[i]);
        }
    }

    private void fillOthers(Row row) {
        for (DefaultValue value : defaults) {
            value.set(row);
        }
        columnDefaults.fill(row);
    }

    /**
     * Resolves a writer's schema against a table.
     *
     * @param format the table and the settings
     * @param reader names the wanted fields with their aliases and defaults; null: those of the table
     * @param where source of the schema, for messages
     * @throws BadInputException naming every field and column that do not fit
     */
    static AvroLayout of(AvroFormat format, Schema writer, @Nullable Schema reader, String where) {
        return new Resolution(format, reader).resolve(writer, format.strict(), where);
    }

    /** Builds a plan. */
    private static final class Resolution {
        private final TableDef table;
        private final @Nullable Schema reader;
        private final boolean roundNanos;
        private final List<String> given;
        private final List<String> problems = new ArrayList<>();
        private final @Nullable String[] filledBy;

        Resolution(AvroFormat format, @Nullable Schema reader) {
            this.table = format.table();
            this.reader = reader;
            this.roundNanos = format.roundNanos();
            this.given = format.given();
            filledBy = new String[table.columns().size()];
        }

        AvroLayout resolve(Schema writer, boolean strict, String where) {
            Skips skips = new Skips();
            List<FieldReader> fields = new ArrayList<>();
            List<Integer> columns = new ArrayList<>();
            boolean any = false;
            for (Schema.Field field : writer.getFields()) {
                int column = columnOf(field, strict);
                any |= column >= 0;
                columns.add(column);
                fields.add(column < 0 ? skips.of(field.schema()) : filling(field, column));
            }
            List<DefaultValue> defaults = new ArrayList<>();
            ColumnDefaults columnDefaults = missing(strict, defaults);
            if (!any && problems.isEmpty()) {
                problems.add("no field of the record " + writer.getName() + " is a column of table " + table.name()
                        + "; its fields are " + names(writer));
            }
            if (!problems.isEmpty()) {
                throw new BadInputException(where + ": " + String.join("\n" + where + ": ", problems));
            }
            return new AvroLayout(fields, columns, defaults, columnDefaults);
        }

        /** The column that a field fills, or -1. */
        private int columnOf(Schema.Field field, boolean strict) {
            String name = readerName(field.name());
            int column = name == null ? -1 : table.visibleColumn(name);
            if (column < 0 && strict) {
                problems.add("field " + field.name() + " has no column in table " + table.name()
                        + ", and --avro-strict asks for one");
            }
            if (column >= 0 && filledBy[column] != null) {
                problems.add("fields " + filledBy[column] + " and " + field.name() + " would both fill column "
                        + table.columns().get(column).name());
            }
            if (column >= 0) {
                filledBy[column] = field.name();
            }
            return column;
        }

        /** The reader's name for a field of the writer; null if the reader does not want it. */
        private @Nullable String readerName(String name) {
            if (reader == null) {
                return name;
            }
            if (reader.getField(name) != null) {
                return name;
            }
            for (Schema.Field field : reader.getFields()) {
                if (field.aliases().contains(name)) {
                    return field.name();
                }
            }
            return null;
        }

        private FieldReader filling(Schema.Field field, int column) {
            Column definition = table.columns().get(column);
            try {
                return ColumnReaders.of(field.schema(), definition, roundNanos, column);
            } catch (Mismatch e) {
                problems.add("field " + field.name() + ", column " + definition.name() + ": " + e.getMessage());
                return (in, row) -> {};
            }
        }

        /**
         * The values of columns that no field fills: the reader's default, or else the column's, or else NULL.
         *
         * @param defaults receives the reader's defaults
         * @return the columns' defaults
         */
        private ColumnDefaults missing(boolean strict, List<DefaultValue> defaults) {
            Set<Integer> others = new HashSet<>();
            for (int column : table.visibleColumns()) {
                Column definition = table.columns().get(column);
                Schema.Field field = filledBy[column] == null ? readerField(definition.name()) : null;
                if (field != null && field.hasDefaultValue()) {
                    addDefault(field, column, defaults);
                } else if (filledBy[column] == null && strict && !given.contains(definition.name())) {
                    problems.add("column " + definition.name() + " has no field, and --avro-strict asks for one");
                } else if (filledBy[column] == null && definition.defaultText() != null) {
                    continue;
                } else if (filledBy[column] == null && !definition.nullable()) {
                    problems.add("column " + definition.name() + " is NOT NULL and has no field and no DEFAULT");
                }
                others.add(column);
            }
            return ColumnDefaults.of(table, others, problems);
        }

        private Schema.@Nullable Field readerField(String column) {
            if (reader == null) {
                return null;
            }
            return reader.getFields().stream()
                    .filter(field -> field.name().equalsIgnoreCase(column))
                    .findFirst()
                    .orElse(null);
        }

        private void addDefault(Schema.Field field, int column, List<DefaultValue> defaults) {
            try {
                defaults.add(DefaultValue.of(field, table.columns().get(column), roundNanos, column));
            } catch (Mismatch e) {
                problems.add("the default of field " + field.name() + ": " + e.getMessage());
            }
        }

        private static String names(Schema writer) {
            return String.join(
                    ", ", writer.getFields().stream().map(Schema.Field::name).toList());
        }
    }

    /**
     * The value of a column that files do not have: a field's default. It is encoded once and read for every row like
     * any other. Used by one thread.
     */
    private static final class DefaultValue {
        /** The value; slots point into it. */
        private final byte[] encoded;

        private final FieldReader reader;
        private final AvroInput in = new AvroInput();

        private DefaultValue(byte[] encoded, FieldReader reader) {
            this.encoded = encoded;
            this.reader = reader;
        }

        /**
         * The default of a field of the reader's schema.
         *
         * @param roundNanos whether a timestamp with digits beyond microseconds is rounded, not refused
         * @throws Mismatch when the column cannot hold it
         */
        static DefaultValue of(Schema.Field field, Column definition, boolean roundNanos, int column) throws Mismatch {
            FieldReader reader = ColumnReaders.of(field.schema(), definition, roundNanos, column);
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            try {
                BinaryEncoder encoder = EncoderFactory.get().directBinaryEncoder(out, null);
                Object value = GenericData.get().getDefaultValue(field);
                new GenericDatumWriter<Object>(field.schema()).write(value, encoder);
                encoder.flush();
            } catch (RuntimeException | IOException e) {
                throw new Mismatch("is no value of the field's own type: " + e.getMessage());
            }
            DefaultValue result = new DefaultValue(out.toByteArray(), reader);
            result.set(new Row(column + 1));
            DatumProblem problem = result.in.problem();
            if (problem != null) {
                throw new Mismatch(problem.message());
            }
            return result;
        }

        /** Fills the column. */
        void set(Row row) {
            in.reset(encoded, 0, encoded.length);
            try {
                reader.read(in, row);
            } catch (MalformedDatum e) {
                throw new IllegalStateException("a value that Avro has just encoded is malformed", e);
            }
        }
    }
}
