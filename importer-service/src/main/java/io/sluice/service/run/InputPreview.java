package io.sluice.service.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.importer.decode.CsvDialect;
import io.sluice.importer.decode.infer.CsvSniffer;
import io.sluice.importer.decode.infer.CsvSniffer.Part;
import io.sluice.importer.decode.infer.Inference;
import io.sluice.importer.decode.input.DetectedFormat;
import io.sluice.importer.decode.input.DirectoryValues;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.job.FirstRecords;
import io.sluice.importer.job.ImportSettings;
import io.sluice.importer.job.Precheck;
import io.sluice.importer.source.InputFile;
import io.sluice.model.error.BadInputException;
import io.sluice.model.schema.TableDef;
import io.sluice.service.spec.FormatSpec;
import io.sluice.service.spec.ImportSpec;
import io.sluice.service.spec.ImportSpec.Origin;
import io.sluice.service.spec.SourceRoots;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The first records of an import's inputs as its table would have them. Without a schema, the first input suggests one,
 * and the delimiter and header of a CSV file, as far as the request does not name them.
 *
 * @param inputs the files
 * @param format their format
 * @param asked the format that the request names, if the files are CSV
 * @param sniffed what the first input suggests for members of {@code format} that the request leaves out; null if that
 *     is no CSV
 * @param declared the table of the import
 * @param first the first records of the first input
 * @param problem why the import cannot start; null if it can
 */
public record InputPreview(
        List<InputFile> inputs,
        InputFormat format,
        InputFormat.Csv asked,
        @Nullable CsvDialect sniffed,
        Declared declared,
        FirstRecords first,
        @Nullable String problem) {
    /** Rows and rejects that a preview keeps. */
    private static final int KEPT = 20;

    /** Records that suggest types: a fraction of a second's work. */
    private static final long SAMPLE_ROWS = 10_000;

    private static final String SCHEMA = "schema";
    private static final String FORMAT = "format";

    /** Takes the place of a schema that is not there yet. */
    private static final String NO_SCHEMA = "CREATE TABLE preview (c STRING)";

    /**
     * The table of the import.
     *
     * @param schema the DDL of the request, or the proposed one
     * @param inferred whether the schema is proposed
     */
    public record Declared(String schema, boolean inferred, TableDef table) {}

    public InputPreview {
        inputs = List.copyOf(inputs);
    }

    /**
     * Reads the beginning of the inputs.
     *
     * @param body a request for an import, with or without its schema
     * @throws io.sluice.service.spec.InvalidSpecException if the request is invalid
     * @throws BadInputException if an input cannot be read, or suggests no table
     */
    static InputPreview of(JsonNode body, SourceRoots roots) {
        if (Origin.of(body) != Origin.INPUTS) {
            throw new BadInputException("preview: only an import of inputs has one");
        }
        boolean inferred = body.isObject() && body.path(SCHEMA).asText("").isBlank();
        ImportSpec asked = ImportSpec.of(inferred ? withoutTable((ObjectNode) body) : body);
        List<InputFile> inputs =
                roots.resolve(asked.source().inputs(), asked.source().settings());
        InputFile input = inputs.get(0);
        if (!input.repeatable()) {
            throw new BadInputException(input.name() + ": can be read only once, so a preview would take its records");
        }
        InputFormat format = asked.source().format().of(inputs);
        CsvDialect sniffed = null;
        if (format instanceof InputFormat.Csv csv) {
            Set<Part> parts = parts(csv, body.path(FORMAT));
            if (inferred) {
                format = Inference.csv(input, csv, parts, ImportSettings.MAX_RECORD_BYTES);
                sniffed = ((InputFormat.Csv) format).dialect();
            } else {
                sniffed = new CsvSniffer(input, csv.dialect(), ImportSettings.MAX_RECORD_BYTES).find(parts);
            }
        }
        ImportSpec spec = asked;
        if (inferred) {
            String named = body.path("table").asText("");
            String table = named.isBlank() ? Inference.tableName(asked.source().inputs(), input) : named;
            String ddl = Inference.of(inputs, format, table, ImportSettings.MAX_RECORD_BYTES, SAMPLE_ROWS)
                    .ddl();
            ObjectNode whole = body.deepCopy();
            whole.remove("table");
            spec = ImportSpec.of(whole.put(SCHEMA, ddl));
        }
        TableDef table = spec.target().table();
        format.validate();
        String problem = null;
        try {
            format.validate(DirectoryValues.of(input).fill(table, input.name()));
            new Precheck(format, table, spec.rules().maxRejects(), inferred).run(inputs);
        } catch (BadInputException e) {
            problem = e.getMessage();
        }
        FirstRecords first = FirstRecords.read(input, format, table, KEPT);
        return new InputPreview(
                inputs,
                format,
                asked.source().format().csv(),
                sniffed,
                new Declared(spec.target().schema(), inferred, table),
                first,
                problem);
    }

    private static ObjectNode withoutTable(ObjectNode body) {
        ObjectNode copy = body.deepCopy();
        copy.remove("table");
        return copy.put(SCHEMA, NO_SCHEMA);
    }

    /** The parts of the dialect that the request leaves open. */
    private static Set<Part> parts(InputFormat.Csv csv, JsonNode asked) {
        boolean dialect = FormatSpec.namesDialect(asked);
        Set<Part> parts = EnumSet.allOf(Part.class);
        if (dialect || asked.hasNonNull("delimiter")) {
            parts.remove(Part.DELIMITER);
        }
        if (dialect || asked.hasNonNull("quote") || asked.hasNonNull("escape") || asked.hasNonNull("comment")) {
            parts.remove(Part.QUOTE);
        }
        if (dialect || asked.hasNonNull("nullif")) {
            parts.remove(Part.NULL);
        }
        if (asked.hasNonNull("decimal") || asked.hasNonNull("thousands")) {
            parts.remove(Part.NUMBERS);
        }
        if (asked.hasNonNull("header") || csv.columns() != null) {
            parts.remove(Part.HEADER);
        }
        return parts;
    }

    /**
     * The names that were made up for fields whose header has none; null if there are none, or the request names all.
     */
    public @Nullable List<String> renamed() {
        return declared.inferred && asked.columns() == null && format instanceof InputFormat.Csv csv
                ? csv.columns()
                : null;
    }

    /** The name of the format, as a request has it. */
    public String formatName() {
        return DetectedFormat.of(inputs).optionName();
    }
}
