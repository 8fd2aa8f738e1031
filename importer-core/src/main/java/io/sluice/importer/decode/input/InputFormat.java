package io.sluice.importer.decode.input;

import io.sluice.api.error.BadInputException;
import io.sluice.api.schema.TableDef;
import io.sluice.importer.decode.ColumnMapping;
import io.sluice.importer.decode.CsvDialect;
import io.sluice.importer.decode.CsvFormat;
import io.sluice.importer.decode.SplitDecoder;
import io.sluice.importer.source.Framing;
import io.sluice.importer.source.SplitSource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How the files of one import are written. A value: it opens nothing. */
public sealed interface InputFormat {
    /** CSV of the usual dialect, its fields in the order of the table's columns. */
    InputFormat DEFAULT = new Csv(CsvDialect.DEFAULT, null);

    /**
     * Checks what can be checked without a file.
     *
     * @throws BadInputException naming all that is wrong
     */
    void validate();

    /**
     * Checks that files of this format can fill a table, as far as that shows without a file.
     *
     * @throws BadInputException naming all that is wrong
     */
    void validate(TableDef table);

    /** Where records end. */
    Framing framing();

    /**
     * How the source is to read files of this format.
     *
     * @param splitBytes size of one split
     * @param maxRecordBytes longest record that is let through
     */
    SplitSource.Settings reading(int splitBytes, int maxRecordBytes);

    /** A new decoder, for one thread. */
    SplitDecoder decoder(TableDef table, int maxRecordBytes);

    /**
     * Text in fields and lines.
     *
     * @param dialect how the text is written
     * @param columns names of the columns in the order of the fields; null: the header's, or else all in order
     */
    record Csv(CsvDialect dialect, @Nullable List<String> columns) implements InputFormat {
        @Override
        public void validate() {
            dialect.validate();
        }

        @Override
        public void validate(TableDef table) {
            ColumnMapping.of(table, columns);
        }

        @Override
        public Framing framing() {
            return dialect.framing();
        }

        @Override
        public SplitSource.Settings reading(int splitBytes, int maxRecordBytes) {
            return new SplitSource.Settings(
                    splitBytes, maxRecordBytes, dialect.skip(), dialect.header(), dialect.rowLimit());
        }

        @Override
        public SplitDecoder decoder(TableDef table, int maxRecordBytes) {
            return SplitDecoder.of(new CsvFormat(table, dialect, columns, maxRecordBytes));
        }
    }
}
