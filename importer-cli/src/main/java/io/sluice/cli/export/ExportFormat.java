package io.sluice.cli.export;

import io.sluice.model.schema.TableDef;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Locale;

/** The formats of exported files. An import reads each back to the same rows. */
public enum ExportFormat {
    /** RFC 4180 with a header. NULL is an empty field, the empty text is {@code ""}. */
    CSV,
    /** One JSON object per line. */
    JSONL,
    /** Avro container files, compressed with deflate. */
    AVRO,
    /** Parquet files with one row group per 16 MiB, compressed with zstd. */
    PARQUET;

    /** The format's name in options, which is also the suffix of its files. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Begins a file.
     *
     * @param columns positions of the columns to write, in this order
     * @param out takes the bytes; the caller buffers it, and closes it after the writer
     * @throws io.sluice.model.error.BadInputException if the format has no form for the table
     */
    RowWriter open(TableDef def, List<Integer> columns, OutputStream out) throws IOException {
        return switch (this) {
            case CSV -> TextWriter.csv(def, columns, out);
            case JSONL -> TextWriter.jsonLines(def, columns, out);
            case AVRO -> new AvroWriter(def, columns, out);
            case PARQUET -> new ParquetWriter(def, columns, out);
        };
    }

    /** Options with which an import reads the files, beside {@code --format}. */
    List<String> importOptions(int columns) {
        if (this != CSV) {
            return List.of();
        }
        // The only column may be NULL: then its line is empty, and counts as a record in this dialect only.
        return columns == 1 ? List.of("--dialect", "rfc4180", "--header") : List.of("--header");
    }
}
