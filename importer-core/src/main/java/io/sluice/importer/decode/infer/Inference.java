package io.sluice.importer.decode.infer;

import io.sluice.importer.decode.avro.AvroSchemas;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.source.InputFile;
import io.sluice.model.error.BadInputException;
import java.util.Locale;
import org.apache.avro.Schema;

/** Proposes a table for a file of any format. */
public final class Inference {
    private Inference() {}

    /**
     * Proposes a table. A CSV file is read twice.
     *
     * @param sampleRows most rows to read of CSV and JSON; 0: all
     * @throws BadInputException if the file cannot be read, or has no records
     */
    public static InferredTable of(
            InputFile file, InputFormat format, String table, int maxRecordBytes, long sampleRows) {
        if (format instanceof InputFormat.Csv csv) {
            return new CsvInference(file, csv.dialect(), csv.columns(), maxRecordBytes, sampleRows).run(table);
        }
        if (format instanceof InputFormat.Json json) {
            return new JsonInference(file, json.array(), maxRecordBytes, sampleRows).run(table);
        }
        InputFormat.Avro avro = (InputFormat.Avro) format;
        Schema schema = avro.schema() == null ? AvroSchemas.ofFile(file) : avro.schema();
        return AvroInference.of(schema, table, file.name());
    }

    /** The name of a file without its directory and suffixes, in lower case. */
    public static String tableName(InputFile file) {
        String name = file.name().substring(file.name().lastIndexOf('/') + 1);
        int dot = name.indexOf('.', 1);
        return (dot < 0 ? name : name.substring(0, dot)).toLowerCase(Locale.ROOT);
    }
}
