package io.sluice.importer.decode.infer;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import io.sluice.importer.decode.ValueFormat;
import io.sluice.importer.decode.json.JsonDecoder;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.Split;
import io.sluice.importer.source.SplitSource;
import io.sluice.model.error.BadInputException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Proposes a table for JSON lines or a JSON array: a column for each member that an object has, in the order of their
 * first appearance. Objects and arrays inside become documents.
 */
public final class JsonInference {
    private static final int SPLIT_BYTES = 1 << 20;

    /** More members are no table: names are values then. */
    private static final int MAX_COLUMNS = 1_000;

    private static final JsonFactory JSON = new JsonFactory();

    private final InputFile file;
    private final boolean array;
    private final int maxRecordBytes;
    private final long sampleRows;
    /** By the name in lower case, since columns differ in more than case. */
    private final Map<String, Member> members = new LinkedHashMap<>();

    private long records;
    private long malformed;
    private @Nullable String problem;
    private boolean whole = true;

    private record Member(String name, ColumnEvidence evidence) {}

    /**
     * An inference over the first {@code sampleRows} rows.
     *
     * @param array whether the file is one array; else each line is one object
     * @param sampleRows 0: all rows
     */
    public JsonInference(InputFile file, boolean array, int maxRecordBytes, long sampleRows) {
        this.file = file;
        this.array = array;
        this.maxRecordBytes = maxRecordBytes;
        this.sampleRows = sampleRows;
    }

    /**
     * Reads the file.
     *
     * @throws BadInputException if it has no objects, or too many different members
     */
    public InferredTable run(String table) {
        SplitSource.Settings reading = new SplitSource.Settings(SPLIT_BYTES, maxRecordBytes, 0, false);
        try (SplitSource source = new SplitSource(List.of(file), JsonDecoder.framing(array), reading)) {
            Split split = new Split(SPLIT_BYTES);
            while (whole && source.next(split)) {
                JsonDecoder.forEachRecord(split, array, (from, to) -> take(split.buffer(), from, to));
            }
        }
        if (records == 0) {
            throw new BadInputException(file.name() + ": has no JSON objects"
                    + (problem == null ? "" : "; record 1: " + problem)
                    + (problem == null || array || !problem.contains("end-of-input")
                            ? ""
                            : ". Each line must be one object: 'jq -c . FILE' writes them so"));
        }
        List<InferredColumn> columns = new ArrayList<>();
        members.values().forEach(member -> columns.add(member.evidence.column(member.name, whole ? records : -1)));
        return new InferredTable(table, remarks(), columns);
    }

    private List<String> remarks() {
        List<String> remarks = new ArrayList<>();
        remarks.add("from " + (whole ? "all " : "the first ") + ColumnEvidence.counted(records, "record") + " of "
                + file.name() + (whole ? "" : "; later records were NOT read"));
        if (malformed > 0) {
            remarks.add(malformed + " more records are malformed and were left out");
        }
        remarks.add(ColumnEvidence.keys(
                "JSON",
                members.values().stream().map(Member::name).toList(),
                members.values().stream().map(Member::evidence).toList(),
                records));
        return remarks;
    }

    private void take(byte[] buffer, int from, int to) {
        if (sampleRows > 0 && records == sampleRows) {
            whole = false;
            return;
        }
        try {
            Map<String, NamedValue> values = new LinkedHashMap<>();
            // An import refuses two members that differ only in case, or takes the last one.
            values(buffer, from, to)
                    .forEach((name, value) -> values.put(name.toLowerCase(Locale.ROOT), new NamedValue(name, value)));
            records++;
            values.forEach((key, named) -> {
                Member member = members.computeIfAbsent(
                        key,
                        absent -> new Member(
                                named.name, new ColumnEvidence(members.size(), named.name, ValueFormat.DEFAULT)));
                named.value.addTo(member.evidence, records);
            });
        } catch (IOException e) {
            if (problem == null) {
                String message = e instanceof JsonProcessingException bad ? bad.getOriginalMessage() : e.getMessage();
                // Without the names of Jackson's settings.
                problem = String.valueOf(message).replaceAll("\\s*\\(start marker.*|: enable `.*", "");
            }
            malformed++;
        }
        if (members.size() > MAX_COLUMNS) {
            throw new BadInputException(file.name() + ": its objects have more than " + MAX_COLUMNS
                    + " different members: write the CREATE TABLE by hand");
        }
    }

    private record NamedValue(String name, JsonValue value) {}

    /** A member's value: its token, and the text of a scalar. */
    private record JsonValue(JsonToken token, String text) {
        void addTo(ColumnEvidence evidence, long record) {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            switch (token) {
                case VALUE_NULL -> evidence.addNull();
                case VALUE_STRING -> evidence.addString(bytes, 0, bytes.length, record);
                case START_OBJECT, START_ARRAY -> evidence.addNested();
                default -> evidence.add(bytes, 0, bytes.length, record);
            }
        }
    }

    private static Map<String, JsonValue> values(byte[] buffer, int from, int to) throws IOException {
        Map<String, JsonValue> values = new LinkedHashMap<>();
        try (JsonParser parser = JSON.createParser(buffer, from, to - from)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new IOException("it is no object");
            }
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String name = parser.currentName();
                JsonToken token = parser.nextToken();
                String text = token.isScalarValue() ? parser.getText() : "";
                parser.skipChildren();
                values.put(name, new JsonValue(token, text));
            }
            if (parser.nextToken() != null) {
                throw new IOException("text after the object");
            }
        }
        return values;
    }
}
