package io.sluice.sql.apply;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import io.sluice.model.error.Reasons;
import io.sluice.sql.apply.Change.Columns;
import io.sluice.sql.apply.Change.Kind;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Parses one line: {@code {"table", "op", "key", "row"}}, or Debezium's {@code {"op", "before", "after", "source":
 * {"table"}}}. Either may be inside of a {@code "payload"}. Ignores other fields. Used for one line.
 */
final class ChangeParser {
    private static final int MAX_DEPTH = 32;
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxNestingDepth(MAX_DEPTH).build())
            .build();

    private static final Columns NONE = new Columns(false);

    private final long line;
    private @Nullable String table;
    private @Nullable String op;
    private @Nullable Columns key;
    private @Nullable Columns row;
    private @Nullable Columns before;
    private @Nullable Columns after;

    private ChangeParser(long line) {
        this.line = line;
    }

    /**
     * Parses the line in a range of a buffer.
     *
     * @throws LineException if it is not a valid change
     */
    static Change parse(long line, byte[] buffer, int offset, int length) {
        ChangeParser parser = new ChangeParser(line);
        try (JsonParser json = FACTORY.createParser(buffer, offset, length)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw parser.refuse("a line is one JSON object");
            }
            parser.object(json);
            if (json.nextToken() != null) {
                throw parser.refuse("unexpected text after the JSON object");
            }
        } catch (JsonProcessingException e) {
            throw parser.refuse("not valid JSON: " + Reasons.withoutClasses(e.getOriginalMessage()));
        } catch (IOException e) {
            throw parser.refuse("cannot be read: " + Reasons.plain(e));
        }
        return parser.change();
    }

    private void object(JsonParser json) throws IOException {
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String field = json.currentName();
            JsonToken value = json.nextToken();
            switch (field) {
                case "table" -> table = text(json, value, table);
                case "op" -> op = text(json, value, op);
                case "key" -> key = columns(json, value, false);
                case "row" -> row = columns(json, value, false);
                case "before" -> before = columns(json, value, true);
                case "after" -> after = columns(json, value, true);
                case "payload" -> {
                    if (value == JsonToken.START_OBJECT) {
                        object(json);
                    }
                }
                case "source" -> source(json, value);
                default -> json.skipChildren();
            }
        }
    }

    /** Takes the table alone: MySQL's connector also writes a member {@code row} there. */
    private void source(JsonParser json, JsonToken value) throws IOException {
        while (value == JsonToken.START_OBJECT && json.nextToken() == JsonToken.FIELD_NAME) {
            String field = json.currentName();
            JsonToken member = json.nextToken();
            table = field.equals("table") ? text(json, member, table) : table;
            json.skipChildren();
        }
        json.skipChildren();
    }

    private static @Nullable String text(JsonParser json, JsonToken value, @Nullable String otherwise)
            throws IOException {
        if (value == JsonToken.VALUE_STRING) {
            return json.getText();
        }
        json.skipChildren();
        return otherwise;
    }

    private @Nullable Columns columns(JsonParser json, JsonToken value, boolean debezium) throws IOException {
        if (value == JsonToken.VALUE_NULL) {
            return null;
        }
        if (value != JsonToken.START_OBJECT) {
            throw refuse(json.currentName() + " is not an object of columns and values");
        }
        Columns columns = new Columns(debezium);
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String name = json.currentName();
            JsonToken datum = json.nextToken();
            if (!datum.isScalarValue()) {
                throw refuse("column " + name + " has an object or an array; a value is a string, a number, true, false"
                        + " or null");
            }
            columns.add(name, datum == JsonToken.VALUE_NULL ? null : json.getText(), datum.isNumeric());
        }
        return columns;
    }

    private Change change() {
        String tableName = table;
        String operation = op;
        if (tableName == null || operation == null) {
            throw refuse("the " + (tableName == null ? "table" : "op") + " is missing");
        }
        Kind kind =
                switch (operation) {
                    case "insert", "c", "r" -> Kind.INSERT;
                    case "update", "u" -> Kind.UPDATE;
                    case "delete", "d" -> Kind.DELETE;
                    default -> throw refuse("op " + operation + ": must be insert, update or delete");
                };
        Columns what = row != null ? row : after != null ? after : NONE;
        Columns which = key != null ? key : before != null ? before : kind == Kind.DELETE ? what : NONE;
        if (kind == Kind.DELETE ? which.isEmpty() : what.isEmpty()) {
            throw refuse(kind == Kind.DELETE ? "a delete needs the key" : "the row is missing");
        }
        return new Change(line, tableName, kind, which, kind == Kind.DELETE ? NONE : what);
    }

    private LineException refuse(String message) {
        return new LineException(line, message);
    }
}
