package io.sluice.service.spec;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.importer.decode.CsvDialect;
import io.sluice.importer.decode.CsvDialect.Trait;
import io.sluice.importer.decode.NamedDialect;
import io.sluice.importer.decode.ValueFormat;
import io.sluice.importer.decode.avro.AvroSchemas;
import io.sluice.importer.decode.input.DetectedFormat;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.decode.input.InputFormat.Avro.Encoding;
import io.sluice.importer.decode.json.JsonMembers;
import io.sluice.importer.source.InputFile;
import io.sluice.model.error.BadInputException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The format of inputs in a request.
 *
 * @param type the format, or auto
 * @param csv CSV dialect, if the inputs are CSV
 * @param avroSchema schema of the records, or null
 * @param avroStrict whether every field must have a column and every column a field
 * @param roundNanos whether timestamps with digits beyond microseconds are rounded, not refused
 * @param json which members fill which columns, if the inputs are JSON
 */
public record FormatSpec(
        String type,
        InputFormat.Csv csv,
        @Nullable String avroSchema,
        boolean avroStrict,
        boolean roundNanos,
        JsonMembers json) {
    private static final String AUTO = "auto";
    private static final String CSV = "csv";
    private static final String DIALECT = "dialect";
    private static final String SCHEMA = "format/avroSchema";
    private static final int SCHEMA_CHARS = 256 << 10;
    private static final int NULL_CHARS = 1024;
    private static final int MOST_NULLS = 100;
    private static final int DELIMITER_CHARS = 8;
    private static final int MOST_COLUMNS = 2_000;
    private static final int NAME_CHARS = 256;
    private static final int PATH_CHARS = 4096;
    private static final String REJECT = "reject";

    static FormatSpec of(Members members) {
        String type = members.word(
                "type", List.of(AUTO, CSV, "jsonl", "json", "avro", "avro-binary", "avro-json", "parquet"));
        CsvDialect dialect = dialect(members);
        List<String> columns = members.texts("columns", MOST_COLUMNS, NAME_CHARS);
        String avroSchema = members.text("avroSchema", SCHEMA_CHARS, null);
        Boolean strict = members.flag("avroStrict");
        boolean roundNanos = members.word("nanos", List.of(REJECT, "round")).equals("round");
        List<String> paths = members.texts("jsonPaths", MOST_COLUMNS, PATH_CHARS);
        String unknown = members.word("jsonUnknown", List.of("ignore", REJECT));
        String duplicates = members.word("jsonDuplicates", List.of(REJECT, "last"));
        JsonMembers json =
                new JsonMembers(paths == null ? List.of() : paths, unknown.equals(REJECT), !duplicates.equals(REJECT));
        members.noOthers();
        if (avroSchema == null && (type.equals("avro-binary") || type.equals("avro-json"))) {
            members.wrong("avroSchema", "is needed: records without a header do not say what they are");
        }
        FormatSpec spec = new FormatSpec(
                type, new InputFormat.Csv(dialect, columns), avroSchema, strict != null && strict, roundNanos, json);
        String others = type.equals(AUTO) ? null : spec.membersOfOthers(type);
        if (others != null) {
            members.wrong("type", others);
        }
        return spec;
    }

    /** Refuses members of other formats than the given one, since they would have no effect; null if there are none. */
    private @Nullable String membersOfOthers(String format) {
        boolean isCsv = format.equals(CSV);
        boolean isJson = format.startsWith("json");
        String others = null;
        if (!isCsv && !csv.equals(InputFormat.DEFAULT)) {
            others = "members of CSV, such as columns, header, skip or nullif,";
        } else if ((isCsv || isJson) && (avroSchema != null || avroStrict || roundNanos)) {
            others = "avroSchema, avroStrict or nanos";
        } else if (!isJson && !json.equals(JsonMembers.BY_NAME)) {
            others = "jsonPaths, jsonUnknown or jsonDuplicates";
        }
        return others == null ? null : "is " + format + ", but " + others + " are given: leave them out";
    }

    /** Whether a request's format names a dialect other than the default one. */
    public static boolean namesDialect(JsonNode format) {
        return !format.path(DIALECT).asText(NamedDialect.DEFAULT.label()).equals(NamedDialect.DEFAULT.label());
    }

    private static CsvDialect dialect(Members members) {
        List<String> names = Arrays.stream(NamedDialect.values())
                .map(dialect -> dialect.name().toLowerCase(Locale.ROOT).replace('_', '-'))
                .toList();
        CsvDialect base = NamedDialect.of(members.word(DIALECT, names)).dialect();
        String delimiter = members.text("delimiter", DELIMITER_CHARS, null);
        if (delimiter != null && delimiter.isEmpty()) {
            members.wrong("delimiter", "must have 1 to " + DELIMITER_CHARS + " characters");
            delimiter = null;
        }
        String quote = members.character("quote", true);
        String escape = members.character("escape", true);
        String comment = members.character("comment", true);
        ValueFormat values = values(members, base.values());
        Boolean header = members.flag("header");
        Long skip = members.count("skip");
        Long rowLimit = members.count("rowLimit");
        CsvDialect made = new CsvDialect(
                delimiter == null ? base.delimiter() : delimiter,
                quote == null ? base.quote() : orNone(quote),
                escape == null ? base.escape() : orNone(escape),
                comment == null ? base.comment() : orNone(comment),
                values,
                base.traits(),
                new CsvDialect.Records(
                        header != null && header, skip == null ? 0 : skip, rowLimit == null ? 0 : rowLimit));
        made = Boolean.TRUE.equals(members.flag("allowQuotedNull")) ? made.with(Trait.QUOTED_NULL) : made;
        made = Boolean.TRUE.equals(members.flag("strictQuotes")) ? made.with(Trait.STRICT_QUOTES) : made;
        made = members.word("shortRows", List.of(REJECT, "null")).equals(REJECT) ? made : made.with(Trait.SHORT_ROWS);
        made = members.word("longRows", List.of(REJECT, "ignore")).equals(REJECT) ? made : made.with(Trait.LONG_ROWS);
        try {
            made.validate();
            return made;
        } catch (BadInputException e) {
            members.wrong(DIALECT, "contradicts itself: " + e.getMessage());
            return base;
        }
    }

    private static ValueFormat values(Members members, ValueFormat base) {
        List<String> nullTexts = members.textOrTexts("nullif", MOST_NULLS, NULL_CHARS);
        String decimal = members.character("decimal", false);
        String thousands = members.character("thousands", true);
        return base.withNull(nullTexts == null ? base.nullTexts() : nullTexts)
                .withNumbers(
                        decimal == null ? base.decimal() : decimal.charAt(0),
                        thousands == null ? null : orNone(thousands))
                .withPatterns(
                        patterns(members, "dateFormat"),
                        patterns(members, "timeFormat"),
                        patterns(members, "timestampFormat"));
    }

    private static List<String> patterns(Members members, String name) {
        List<String> patterns = members.texts(name, MOST_COLUMNS, NAME_CHARS);
        return patterns == null ? List.of() : patterns;
    }

    private static @Nullable Character orNone(String character) {
        return character.isEmpty() ? null : character.charAt(0);
    }

    /**
     * Determines the format of the inputs.
     *
     * @throws BadInputException if the inputs have several formats, the schema cannot be read, or members of another
     *     format are given
     */
    public InputFormat of(List<InputFile> inputs) {
        String chosen = type.equals(AUTO) ? DetectedFormat.of(inputs).optionName() : type;
        String others = membersOfOthers(chosen);
        if (others != null) {
            throw new BadInputException("format " + others + ", or set type");
        }
        return switch (chosen) {
            case "jsonl" -> new InputFormat.Json(false, json);
            case "json" -> new InputFormat.Json(true, json);
            case "avro", "parquet" -> avro(Encoding.CONTAINER);
            case "avro-binary" -> avro(Encoding.BINARY);
            case "avro-json" -> avro(Encoding.JSON);
            default -> csv;
        };
    }

    private InputFormat avro(Encoding encoding) {
        return avroSchema == null
                ? new InputFormat.Avro(encoding, null, avroStrict, roundNanos, "")
                : new InputFormat.Avro(
                        encoding, AvroSchemas.record(avroSchema, SCHEMA), avroStrict, roundNanos, SCHEMA);
    }
}
