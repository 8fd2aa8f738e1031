package io.sluice.importer.decode.infer;

import io.sluice.importer.decode.CsvDialect;
import io.sluice.importer.decode.ValueFormat;
import io.sluice.importer.decode.avro.AvroSchemas;
import io.sluice.importer.decode.input.DetectedFormat;
import io.sluice.importer.decode.input.DirectoryValues;
import io.sluice.importer.decode.input.ForeignFormat;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.InputFiles;
import io.sluice.importer.source.remote.RemoteInputs;
import io.sluice.model.error.BadInputException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.avro.Schema;

/** Proposes a table for a file of any format. */
public final class Inference {
    private Inference() {}

    /**
     * Proposes a table for files with the fields of the first one. A CSV file is read twice.
     *
     * @param files of the others only the directories are examined, which may name values of columns
     * @param sampleRows most rows to read of CSV and JSON; 0: all
     * @throws BadInputException if the first file cannot be read, or has no records
     */
    public static InferredTable of(
            List<InputFile> files, InputFormat format, String table, int maxRecordBytes, long sampleRows) {
        return withDirectories(ofFile(files.get(0), format, table, maxRecordBytes, sampleRows), files);
    }

    private static InferredTable ofFile(
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

    /**
     * The format of a CSV file as its beginning suggests, with names for the fields whose header has none.
     *
     * @param given has all that is not searched for
     * @param parts what to search for
     * @param maxRecordBytes longest record
     * @throws BadInputException if the file is no text of rows, or other lines stand before these
     */
    public static InputFormat.Csv csv(
            InputFile file, InputFormat.Csv given, Set<CsvSniffer.Part> parts, int maxRecordBytes) {
        ForeignFormat foreign = ForeignFormat.of(DetectedFormat.head(file));
        if (foreign != null) {
            throw new BadInputException(file.name() + ": " + foreign.remark());
        }
        CsvSniffer sniffer = new CsvSniffer(file, given.dialect(), maxRecordBytes);
        CsvDialect found = sniffer.find(parts);
        found.validate();
        boolean fromStart = given.dialect().records().skip() == 0;
        long before = parts.contains(CsvSniffer.Part.DELIMITER) && fromStart ? sniffer.recordsBefore(found) : 0;
        if (before > 0) {
            throw new BadInputException(
                    file.name() + ": the rows begin after other lines; --skip " + before + " passes over these");
        }
        List<String> columns = given.columns();
        boolean named = columns == null && found.records().header();
        return new InputFormat.Csv(found, named ? sniffer.renamed(found) : columns);
    }

    private static InferredTable withDirectories(InferredTable inferred, List<InputFile> files) {
        Map<String, ColumnEvidence> directories = new LinkedHashMap<>();
        InputFile first = files.get(0);
        for (InputFile file : files) {
            DirectoryValues.of(file).values(file.name()).forEach((name, text) -> {
                ColumnEvidence evidence =
                        directories.computeIfAbsent(name, added -> new ColumnEvidence(0, name, ValueFormat.DEFAULT));
                if (text == null) {
                    evidence.addNull();
                } else {
                    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
                    evidence.add(bytes, 0, bytes.length, file.ordinal() + 1);
                }
            });
        }
        inferred.columns().forEach(column -> directories.keySet().removeIf(column.name()::equalsIgnoreCase));
        List<InferredColumn> columns = new ArrayList<>(inferred.columns());
        directories.forEach((name, evidence) -> columns.add(new InferredColumn(
                name,
                evidence.column(name, files.size()).sql(),
                "from directories such as " + name + "="
                        + DirectoryValues.of(first).values(first.name()).get(name))));
        return new InferredTable(inferred.name(), inferred.remarks(), columns);
    }

    /**
     * The name of a table for inputs: that of the directory if they are all files of one, else that of the first file.
     *
     * @param arguments files, directories and addresses as the user named them
     * @param first the first file that they stand for
     */
    public static String tableName(List<String> arguments, InputFile first) {
        String directory = arguments.size() == 1 ? directory(arguments.get(0), first) : "";
        return directory.isEmpty() ? tableName(first) : stem(directory);
    }

    /** The directory or prefix that an argument names, without those that name values of columns; empty for others. */
    private static String directory(String argument, InputFile first) {
        Path file = first.path();
        if (file == null) {
            boolean prefix = RemoteInputs.isRemote(argument) && argument.endsWith("/");
            return prefix ? DirectoryValues.above(argument) : "";
        }
        Path named = InputFiles.local(argument);
        for (Path above = file.getParent(); above != null; above = above.getParent()) {
            if (above.equals(named)) {
                // "." has no name of its own.
                return DirectoryValues.above(above.toAbsolutePath().normalize() + "/");
            }
        }
        return "";
    }

    /**
     * The name of a file without its directory and suffixes, in lower case. Below directories that name values of
     * columns, it is the name of the directory above these.
     */
    static String tableName(InputFile file) {
        String above = DirectoryValues.above(file.name());
        boolean ofFile = above.isEmpty() || above.length() == file.name().lastIndexOf('/');
        return stem(ofFile ? file.name() : above);
    }

    private static String stem(String path) {
        String name = path.substring(path.lastIndexOf('/') + 1);
        int dot = name.indexOf('.', 1);
        return (dot < 0 ? name : name.substring(0, dot)).toLowerCase(Locale.ROOT);
    }
}
