package io.sluice.importer.options;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.importer.decode.avro.AvroSchemas;
import io.sluice.importer.decode.input.DetectedFormat;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.decode.input.InputFormat.Avro.Encoding;
import io.sluice.importer.decode.json.JsonMembers;
import io.sluice.importer.job.ImportSettings;
import io.sluice.importer.source.InputFile;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.Reasons;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.apache.avro.Schema;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options of the file format, of CSV, Avro and JSON; of every command that reads files. */
public final class FormatOptions {
    private static final String AUTO = "auto";
    private static final String CSV = "csv";
    private static final String AVRO = "Avro";
    private static final String IGNORE = "ignore";
    private static final String REJECT = "reject";
    private static final String LAST = "last";
    private static final String ROUND = "round";

    @Option(
            names = "--format",
            paramLabel = "F",
            defaultValue = AUTO,
            description =
                    "File format: auto (default; by name and first bytes), csv, jsonl (one object per line), json (one array of"
                            + " objects), avro (container files), avro-binary (bare datums), avro-json (one datum"
                            + " per line) or parquet.")
    String format = AUTO;

    @Option(
            names = "--avro-schema",
            paramLabel = "FILE",
            description =
                    "Avro schema of the records, for avro-binary and avro-json; for avro the reader's schema, with aliases"
                            + " and defaults.")
    @Nullable
    Path avroSchema;

    @Option(
            names = "--avro-strict",
            description = "Require a column for every Avro field, and a field for every column.")
    boolean avroStrict;

    @Option(
            names = "--nanos",
            paramLabel = "W",
            defaultValue = REJECT,
            description = "Timestamps of Avro and Parquet with digits beyond microseconds: reject (default) or round.")
    String nanos = REJECT;

    @Option(
            names = "--json-path",
            paramLabel = "COLUMN=PATH",
            description = "Member of JSON objects that fills a column, such as city=address.city; repeatable. Default:"
                    + " the member of the column's name.")
    List<String> jsonPaths = List.of();

    @Option(
            names = "--json-unknown",
            paramLabel = "W",
            defaultValue = IGNORE,
            description = "Members of JSON objects that fill no column: ignore (default) or reject.")
    String jsonUnknown = IGNORE;

    @Option(
            names = "--json-duplicates",
            paramLabel = "W",
            defaultValue = REJECT,
            description = "Several members of a JSON object for one column: reject (default) or last, which counts.")
    String jsonDuplicates = REJECT;

    @Mixin
    CsvOptions csv = new CsvOptions();

    /**
     * Returns the format of the inputs.
     *
     * @throws BadInputException if the options contradict each other, or the inputs have several formats
     */
    public InputFormat of(List<InputFile> inputs) {
        InputFormat chosen =
                named(format.equals(AUTO) ? DetectedFormat.of(inputs).optionName() : format);
        for (InputFile input : inputs) {
            if (!chosen.framing().isText() && !input.encoding().charset().equals(StandardCharsets.UTF_8)) {
                throw new BadInputException("--charset is given, but the input is Avro, which defines its own text"
                        + " encoding; leave it out");
            }
        }
        return chosen;
    }

    /**
     * Returns the format that {@code --format} names; that of the CSV options if it is to be detected.
     *
     * @throws BadInputException if the options contradict each other
     */
    public InputFormat named() {
        InputFormat.Csv detected = csv.format();
        return format.equals(AUTO) ? detected : named(format);
    }

    private InputFormat named(String name) {
        InputFormat chosen =
                switch (name) {
                    case CSV -> csv();
                    case "jsonl" -> json(false);
                    case "json" -> json(true);
                    case "avro" -> avro(Encoding.CONTAINER, AVRO);
                    case "parquet" -> avro(Encoding.CONTAINER, "Parquet");
                    case "avro-binary" -> avro(Encoding.BINARY, AVRO);
                    case "avro-json" -> avro(Encoding.JSON, AVRO);
                    default ->
                        throw new BadInputException("--format " + format
                                + ": must be auto, csv, jsonl, json, avro, avro-binary, avro-json or parquet");
                };
        if (!(chosen instanceof InputFormat.Json) && !members().equals(JsonMembers.BY_NAME)) {
            throw new BadInputException(
                    "--json-path, --json-unknown and --json-duplicates are for JSON, but the input is"
                            + " not; name its format with --format");
        }
        chosen.validate();
        return chosen;
    }

    /**
     * Returns the format of the inputs; of CSV with the delimiter and header of the first input, where no option says.
     *
     * @throws BadInputException as {@link #of}
     */
    public InputFormat sniffed(List<InputFile> inputs) {
        InputFormat chosen = of(inputs);
        InputFile first = inputs.get(0);
        return chosen instanceof InputFormat.Csv && first.repeatable()
                ? csv.sniffed(first, ImportSettings.MAX_RECORD_BYTES)
                : chosen;
    }

    private InputFormat csv() {
        refuse(firstOfAvro(), "CSV");
        return csv.format();
    }

    /** The JSON format; other options than those of JSON are refused, since they would have no effect. */
    private InputFormat json(boolean array) {
        String other = firstOfAvro();
        refuse(other == null ? csv.firstGiven() : other, "JSON");
        return new InputFormat.Json(array, members());
    }

    private static void refuse(@Nullable String option, String words) {
        if (option != null) {
            throw new BadInputException(
                    option + " is given, but the input is " + words + "; name its format with --format");
        }
    }

    /** An option of Avro that is given, or null. */
    private @Nullable String firstOfAvro() {
        return avroStrict ? "--avro-strict" : avroSchema != null ? "--avro-schema" : roundNanos() ? "--nanos" : null;
    }

    private boolean roundNanos() {
        return choice("--nanos", nanos, REJECT, ROUND).equals(ROUND);
    }

    private JsonMembers members() {
        return new JsonMembers(
                jsonPaths,
                choice("--json-unknown", jsonUnknown, IGNORE, REJECT).equals(REJECT),
                choice("--json-duplicates", jsonDuplicates, REJECT, LAST).equals(LAST));
    }

    private static String choice(String option, String word, String one, String other) {
        if (!word.equals(one) && !word.equals(other)) {
            throw new BadInputException(option + " " + word + ": must be " + one + " or " + other);
        }
        return word;
    }

    /** A format of Avro, or Parquet; options of CSV are refused, since they would have no effect. */
    private InputFormat avro(Encoding encoding, String words) {
        refuse(csv.firstGiven(), words);
        if (avroSchema == null) {
            return new InputFormat.Avro(encoding, null, avroStrict, roundNanos(), "");
        }
        String where = "--avro-schema " + avroSchema;
        return new InputFormat.Avro(encoding, schema(avroSchema, where), avroStrict, roundNanos(), where);
    }

    private static Schema schema(Path file, String where) {
        return AvroSchemas.record(text(file, where), where);
    }

    /** Reads a schema file. */
    private static String text(Path file, String where) {
        try {
            return Files.readString(file);
        } catch (NoSuchFileException e) {
            throw new BadInputException(where + ": no such file; check the path", e);
        } catch (MalformedInputException e) {
            throw new BadInputException(where + ": is not UTF-8 text", e);
        } catch (IOException e) {
            throw new BadInputException(where + ": cannot be read: " + Reasons.ofFile(file, e), e);
        }
    }

    /**
     * Adds the given options as members of an import service's {@code ImportSpec}; the service has the same defaults.
     */
    public void put(ObjectNode spec) {
        ObjectNode members = spec.putObject("format");
        members.put("type", format);
        csv.put(members);
        if (avroSchema != null) {
            members.put("avroSchema", text(avroSchema, "--avro-schema " + avroSchema));
        }
        if (avroStrict) {
            members.put("avroStrict", true);
        }
        if (roundNanos()) {
            members.put("nanos", nanos);
        }
        if (!members().equals(JsonMembers.BY_NAME)) {
            jsonPaths.forEach(members.putArray("jsonPaths")::add);
            members.put("jsonUnknown", jsonUnknown);
            members.put("jsonDuplicates", jsonDuplicates);
        }
    }
}
