package io.sluice.importer.bundle;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.importer.decode.CsvDialect;
import io.sluice.importer.decode.CsvDialect.Trait;
import io.sluice.importer.decode.ValueFormat;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.decode.json.JsonMembers;
import io.sluice.importer.source.Framing;
import io.sluice.model.error.BadInputException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes the format of the data files in the manifest. It differs from the format of the inputs: no records
 * are skipped, and all rows are taken.
 */
final class FormatJson {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final String CSV = "csv";
    private static final String JSON_LINES = "jsonl";

    private FormatJson() {}

    static ObjectNode write(InputFormat format) {
        ObjectNode json = NODES.objectNode();
        if (format instanceof InputFormat.Json lines) {
            // The elements of an array are kept as lines, too.
            JsonMembers members = lines.members();
            json.put("format", JSON_LINES).put("charset", "UTF-8");
            members.paths().forEach(json.putArray("paths")::add);
            return json.put("rejectUnknown", members.rejectUnknown()).put("lastDuplicate", members.lastDuplicate());
        }
        if (!(format instanceof InputFormat.Csv csv)) {
            return json.put("format", format.getClass().getSimpleName().toLowerCase(Locale.ROOT));
        }
        json.put("format", CSV).put("charset", "UTF-8");
        CsvDialect dialect = csv.dialect();
        ObjectNode written = json.putObject("dialect");
        written.put("delimiter", dialect.delimiter());
        written.put("quote", text(dialect.quote()));
        written.put("escape", text(dialect.escape()));
        written.put("comment", text(dialect.comment()));
        write(dialect.values(), written);
        written.put("header", dialect.records().header());
        ArrayNode traits = written.putArray("traits");
        dialect.traits().stream()
                .sorted()
                .forEach(trait -> traits.add(trait.name().toLowerCase(Locale.ROOT)));
        List<String> columns = csv.columns();
        if (columns != null) {
            columns.forEach(json.putArray("columns")::add);
        }
        return json;
    }

    private static void write(ValueFormat values, ObjectNode written) {
        // One text for NULL, or none, is all that most files have.
        List<String> nullTexts = values.nullTexts();
        if (nullTexts.size() > 1) {
            putAll(written, "nullif", nullTexts);
        } else {
            written.put("nullif", nullTexts.isEmpty() ? null : nullTexts.get(0));
        }
        if (!values.equals(ValueFormat.DEFAULT.withNull(nullTexts))) {
            written.put("decimal", String.valueOf(values.decimal()));
            written.put("thousands", text(values.thousands()));
            putAll(written, "dateFormat", values.dates());
            putAll(written, "timeFormat", values.times());
            putAll(written, "timestampFormat", values.timestamps());
        }
    }

    private static void putAll(ObjectNode written, String name, List<String> texts) {
        ArrayNode array = written.putArray(name);
        texts.forEach(array::add);
    }

    private static ValueFormat readValues(JsonNode written) {
        JsonNode nullIf = written.path("nullif");
        Character decimal = character(written.path("decimal"));
        return new ValueFormat(
                nullIf.isTextual() ? List.of(nullIf.asText()) : texts(nullIf),
                decimal == null ? ValueFormat.DEFAULT.decimal() : decimal,
                character(written.path("thousands")),
                texts(written.path("dateFormat")),
                texts(written.path("timeFormat")),
                texts(written.path("timestampFormat")));
    }

    private static List<String> texts(JsonNode json) {
        List<String> texts = columns(json);
        return texts == null ? List.of() : texts;
    }

    private static @Nullable String text(@Nullable Character character) {
        return character == null ? null : character.toString();
    }

    static InputFormat read(JsonNode json, String where) {
        String format = json.path("format").asText();
        if (format.equals(JSON_LINES)) {
            return new InputFormat.Json(
                    false,
                    new JsonMembers(
                            texts(json.path("paths")),
                            json.path("rejectUnknown").asBoolean(),
                            json.path("lastDuplicate").asBoolean()));
        }
        if (!format.equals(CSV)) {
            throw new BadInputException(
                    where + ": records of format '" + format + "' cannot be replayed; only CSV and JSON lines can");
        }
        try {
            JsonNode written = json.path("dialect");
            Set<Trait> traits = EnumSet.noneOf(Trait.class);
            written.path("traits")
                    .forEach(trait -> traits.add(Trait.valueOf(trait.asText().toUpperCase(Locale.ROOT))));
            JsonNode delimiter = written.path("delimiter");
            CsvDialect dialect = new CsvDialect(
                    delimiter.isTextual() ? delimiter.asText() : CsvDialect.DEFAULT.delimiter(),
                    character(written.path("quote")),
                    character(written.path("escape")),
                    character(written.path("comment")),
                    readValues(written),
                    traits,
                    new CsvDialect.Records(written.path("header").asBoolean(), 0, 0));
            dialect.validate();
            return new InputFormat.Csv(dialect, columns(json.path("columns")));
        } catch (IllegalArgumentException e) {
            throw new BadInputException(where + ": the dialect is not understood: " + e.getMessage(), e);
        }
    }

    private static @Nullable List<String> columns(JsonNode json) {
        if (!json.isArray()) {
            return null;
        }
        List<String> columns = new ArrayList<>();
        json.forEach(name -> columns.add(name.asText()));
        return columns;
    }

    private static @Nullable Character character(JsonNode json) {
        return json.isTextual() && json.asText().length() == 1 ? json.asText().charAt(0) : null;
    }

    /**
     * The layout of data files.
     *
     * @param extension extension of their names
     * @param separator bytes after each record
     * @param framing finds the end of a record whose end depends on its content; null: every record ends
     */
    @SuppressWarnings("ArrayRecordComponent")
    record Layout(
            String extension, byte[] separator, @Nullable Framing framing) {
        static Layout of(InputFormat format) {
            if (format instanceof InputFormat.Avro) {
                return new Layout("bin", new byte[0], null);
            }
            // Not jsonl: rejects.jsonl is the list of rejects.
            return format instanceof InputFormat.Json
                    ? new Layout("ndjson", new byte[] {'\n'}, null)
                    : new Layout(CSV, new byte[] {'\n'}, format.framing());
        }

        /** Whether a record ends with the separator after it: no open quote, and no escape before it. */
        boolean ends(byte[] record) {
            return framing == null || framing.firstRecordEnd(record, 0, record.length, false) == record.length;
        }
    }
}
