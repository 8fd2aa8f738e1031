package io.sluice.importer.decode.input;

import io.sluice.importer.decode.ColumnMapping;
import io.sluice.importer.decode.CsvDialect;
import io.sluice.importer.decode.CsvFormat;
import io.sluice.importer.decode.SplitDecoder;
import io.sluice.importer.decode.avro.AvroFormat;
import io.sluice.importer.decode.avro.AvroJsonDecoder;
import io.sluice.importer.decode.avro.ContainerDecoder;
import io.sluice.importer.decode.avro.DatumDecoder;
import io.sluice.importer.decode.avro.DatumFraming;
import io.sluice.importer.decode.json.JsonDecoder;
import io.sluice.importer.decode.json.JsonMembers;
import io.sluice.importer.source.CsvFraming;
import io.sluice.importer.source.Framing;
import io.sluice.importer.source.OcfFraming;
import io.sluice.importer.source.SplitSource;
import io.sluice.model.error.BadInputException;
import io.sluice.model.schema.TableDef;
import java.io.Serializable;
import java.util.List;
import java.util.Objects;
import org.apache.avro.Schema;
import org.jspecify.annotations.Nullable;

/** The format of an import's files. A plain value that opens no resources. */
public sealed interface InputFormat extends Serializable {
    /** CSV of the default dialect, with fields in the order of the table's columns. */
    InputFormat DEFAULT = new Csv(CsvDialect.DEFAULT, null);

    /**
     * Checks the settings that do not depend on a file.
     *
     * @throws BadInputException naming all problems
     */
    void validate();

    /**
     * Checks that files of this format can fill a table, as far as possible without a file.
     *
     * @param table the table, with values of directories as defaults ({@link DirectoryValues#fill})
     * @throws BadInputException naming all problems
     */
    void validate(TableDef table);

    /** The format in words, with its settings. */
    String words();

    /** The framing of the records. */
    Framing framing();

    /**
     * The settings for cutting files of this format into splits.
     *
     * @param splitBytes size of one split
     * @param maxRecordBytes longest allowed record
     */
    SplitSource.Settings reading(int splitBytes, int maxRecordBytes);

    /** Creates a decoder for one thread. Values of a file's directories fill columns that it has no field for. */
    SplitDecoder decoder(TableDef table, int maxRecordBytes);

    /**
     * Creates a decoder for files of directories with the same values.
     *
     * @param where a file, for messages
     * @throws BadInputException if a value is not one of its column
     */
    SplitDecoder decoder(TableDef table, DirectoryValues values, String where, int maxRecordBytes);

    /**
     * CSV.
     *
     * @param dialect syntax of the files
     * @param columns column names in the order of the fields; null: those of the header, or else all in order
     */
    record Csv(CsvDialect dialect, @Nullable List<String> columns) implements InputFormat {
        @Override
        public String words() {
            return dialect.words() + (columns == null ? "" : ", fields by --columns");
        }

        @Override
        public void validate() {
            dialect.validate();
        }

        @Override
        public void validate(TableDef table) {
            dialect.values().validate(table);
            ColumnMapping.of(table, columns);
        }

        @Override
        public Framing framing() {
            return dialect.framing();
        }

        @Override
        public SplitSource.Settings reading(int splitBytes, int maxRecordBytes) {
            return new SplitSource.Settings(
                    splitBytes,
                    maxRecordBytes,
                    dialect.records().skip(),
                    dialect.records().header(),
                    dialect.records().limit());
        }

        @Override
        public SplitDecoder decoder(TableDef table, int maxRecordBytes) {
            return new DirectoryDecoder(this, table, maxRecordBytes);
        }

        @Override
        public SplitDecoder decoder(TableDef table, DirectoryValues values, String where, int maxRecordBytes) {
            TableDef filled = values.fill(table, where);
            return SplitDecoder.of(new CsvFormat(filled, dialect, fields(table, values), maxRecordBytes));
        }

        /** The given columns, or else, without a header, those that the directories have no value for. */
        private @Nullable List<String> fields(TableDef table, DirectoryValues values) {
            List<String> elsewhere = values.columns(table);
            if (columns != null || dialect.records().header() || elsewhere.isEmpty()) {
                return columns;
            }
            return table.visibleNames().stream()
                    .filter(name -> !elsewhere.contains(name))
                    .toList();
        }
    }

    /**
     * JSON objects: one on each line, or the elements of one array.
     *
     * @param array whether each file is one array
     * @param members which members fill which columns
     */
    record Json(boolean array, JsonMembers members) implements InputFormat {
        @Override
        public String words() {
            return array ? "one JSON array of objects" : "JSON lines";
        }

        @Override
        public void validate() {}

        @Override
        public void validate(TableDef table) {
            decoder(table, DirectoryValues.NONE, "", 0);
        }

        @Override
        public Framing framing() {
            return JsonDecoder.framing(array);
        }

        @Override
        public SplitSource.Settings reading(int splitBytes, int maxRecordBytes) {
            return new SplitSource.Settings(splitBytes, maxRecordBytes, 0, false);
        }

        @Override
        public SplitDecoder decoder(TableDef table, int maxRecordBytes) {
            return new DirectoryDecoder(this, table, maxRecordBytes);
        }

        @Override
        public SplitDecoder decoder(TableDef table, DirectoryValues values, String where, int maxRecordBytes) {
            return new JsonDecoder(values.fill(table, where), array, members, maxRecordBytes);
        }
    }

    /**
     * Avro.
     *
     * @param encoding encoding of the records in files
     * @param schema schema of the records; for container files, which have their own, the reader's schema or null
     * @param strict whether every field must have a column and every column a field
     * @param roundNanos whether timestamps with digits beyond microseconds are rounded, not refused
     * @param where source of the schema, for messages
     */
    record Avro(Encoding encoding, @Nullable Schema schema, boolean strict, boolean roundNanos, String where)
            implements InputFormat {
        /** Encodings of Avro records in files. */
        public enum Encoding {
            /** Object container files: a header with the schema, and blocks. */
            CONTAINER,
            /** Binary datums without separators. */
            BINARY,
            /** One JSON datum on each line. */
            JSON
        }

        /** Creates a format that refuses timestamps with digits beyond microseconds. */
        public Avro(Encoding encoding, @Nullable Schema schema, boolean strict, String where) {
            this(encoding, schema, strict, false, where);
        }

        /** Creates a format of container files that are read with their own schema. */
        public static Avro containers(boolean strict) {
            return new Avro(Encoding.CONTAINER, null, strict, "");
        }

        @Override
        public String words() {
            return switch (encoding) {
                case CONTAINER -> "Avro container files";
                case BINARY -> "bare Avro records";
                case JSON -> "Avro records in JSON";
            };
        }

        @Override
        public void validate() {
            if (schema == null && encoding != Encoding.CONTAINER) {
                throw new BadInputException("records without a header need a schema: name its file with --avro-schema");
            }
        }

        @Override
        public void validate(TableDef table) {
            if (encoding != Encoding.CONTAINER) {
                // Not strict: a directory may fill the column that has no field, and each file has its own.
                new Avro(encoding, schema, false, roundNanos, where).decoder(table, DirectoryValues.NONE, "", 0);
            }
        }

        @Override
        public Framing framing() {
            return switch (encoding) {
                case CONTAINER -> OcfFraming.UNKNOWN;
                case BINARY -> new DatumFraming(Objects.requireNonNull(schema));
                case JSON -> CsvFraming.LINES;
            };
        }

        @Override
        public SplitSource.Settings reading(int splitBytes, int maxRecordBytes) {
            boolean container = encoding == Encoding.CONTAINER;
            return new SplitSource.Settings(
                    splitBytes, container ? OcfFraming.MAX_RECORD_BYTES : maxRecordBytes, 0, container);
        }

        @Override
        public SplitDecoder decoder(TableDef table, int maxRecordBytes) {
            return new DirectoryDecoder(this, table, maxRecordBytes);
        }

        @Override
        public SplitDecoder decoder(TableDef table, DirectoryValues values, String file, int maxRecordBytes) {
            AvroFormat format =
                    new AvroFormat(values.fill(table, file), schema, strict, roundNanos, where, values.columns(table));
            return switch (encoding) {
                case CONTAINER -> new ContainerDecoder(format);
                case BINARY -> new DatumDecoder(format);
                case JSON -> new AvroJsonDecoder(format, maxRecordBytes);
            };
        }
    }
}
