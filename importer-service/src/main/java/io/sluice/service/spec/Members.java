package io.sluice.service.spec;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.sluice.api.wire.FieldError;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the members of a JSON object and collects their errors. An invalid member reads as a missing one, so that
 * reading continues and all errors are reported together.
 */
final class Members {
    private final JsonNode object;
    private final String pointer;
    private final List<FieldError> errors;
    private final Set<String> known = new HashSet<>();

    Members(JsonNode object, List<FieldError> errors) {
        this(object, "", errors);
    }

    private Members(JsonNode object, String pointer, List<FieldError> errors) {
        this.object = object;
        this.pointer = pointer;
        this.errors = errors;
    }

    /** Whether a member is there. */
    boolean has(String name) {
        return !value(name).isMissingNode();
    }

    /** Reads an object; an empty one if it is missing. */
    Members object(String name) {
        JsonNode value = value(name);
        if (!value.isMissingNode() && !value.isObject()) {
            wrong(name, "must be an object");
            value = MissingNode.getInstance();
        }
        return new Members(value, pointer + "/" + name, errors);
    }

    /** Reads a required text. */
    String required(String name, int mostChars) {
        String text = text(name, mostChars, null);
        if (text == null || text.isBlank()) {
            // A value of another type has an error already.
            if (text != null || value(name).isMissingNode()) {
                error(name, "required", "is required");
            }
            return "";
        }
        return text;
    }

    /** Reads a text, or null. */
    @Nullable
    String text(String name, int mostChars, @Nullable Pattern form) {
        JsonNode value = value(name);
        if (value.isMissingNode()) {
            return null;
        }
        if (!value.isTextual()) {
            wrong(name, "must be a string");
            return null;
        }
        String text = value.textValue();
        if (text.length() > mostChars) {
            wrong(name, "must have at most " + mostChars + " characters");
            return null;
        }
        if (form != null && !form.matcher(text).matches()) {
            wrong(name, "must match " + form.pattern());
            return null;
        }
        return text;
    }

    /** Reads one of some words; the first word is the default. */
    String word(String name, List<String> words) {
        String text = text(name, 64, null);
        if (text == null) {
            return words.get(0);
        }
        if (!words.contains(text)) {
            wrong(name, "must be one of " + String.join(", ", words));
            return words.get(0);
        }
        return text;
    }

    /** Reads one character, no character for an empty text, or null if the member is missing. */
    @Nullable
    String character(String name, boolean mayBeEmpty) {
        String text = text(name, 1, null);
        if (text != null && text.isEmpty() && !mayBeEmpty) {
            wrong(name, "must be one character");
            return null;
        }
        return text;
    }

    /** Reads a boolean, or null. */
    @Nullable
    Boolean flag(String name) {
        JsonNode value = value(name);
        if (value.isMissingNode()) {
            return null;
        }
        if (!value.isBoolean()) {
            wrong(name, "must be true or false");
            return null;
        }
        return value.booleanValue();
    }

    /** Reads an integer from 0, or null. */
    @Nullable
    Long count(String name) {
        JsonNode value = value(name);
        if (value.isMissingNode()) {
            return null;
        }
        if (!value.isIntegralNumber() || !value.canConvertToLong() || value.longValue() < 0) {
            wrong(name, "must be a whole number from 0");
            return null;
        }
        return value.longValue();
    }

    /** Reads a list of texts, or null. */
    @Nullable
    List<String> texts(String name, int mostItems, int mostChars) {
        return texts(name, mostItems, 1, mostChars);
    }

    /** Reads a text or a list of texts, which may be empty ones; null if the member is missing. */
    @Nullable
    List<String> textOrTexts(String name, int mostItems, int mostChars) {
        if (value(name).isArray()) {
            return texts(name, mostItems, 0, mostChars);
        }
        String text = text(name, mostChars, null);
        return text == null ? null : List.of(text);
    }

    private @Nullable List<String> texts(String name, int mostItems, int leastChars, int mostChars) {
        JsonNode value = value(name);
        if (value.isMissingNode()) {
            return null;
        }
        if (!value.isArray() || value.size() > mostItems) {
            wrong(name, "must be an array of at most " + mostItems + " strings");
            return null;
        }
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < value.size(); i++) {
            JsonNode item = value.get(i);
            if (!item.isTextual()
                    || item.textValue().length() < leastChars
                    || item.textValue().length() > mostChars) {
                wrong(name + "/" + i, "must be a string of " + leastChars + " to " + mostChars + " characters");
            } else {
                texts.add(item.textValue());
            }
        }
        return texts;
    }

    /** Reads an object of texts; empty if it is missing. */
    Map<String, String> map(String name, int mostItems, int mostChars) {
        JsonNode value = value(name);
        Map<String, String> map = new LinkedHashMap<>();
        if (value.isMissingNode()) {
            return map;
        }
        if (!value.isObject() || value.size() > mostItems) {
            wrong(name, "must be an object of at most " + mostItems + " strings");
            return map;
        }
        for (Map.Entry<String, JsonNode> each : value.properties()) {
            JsonNode item = each.getValue();
            if (!item.isTextual()
                    || item.textValue().length() > mostChars
                    || each.getKey().length() > mostChars) {
                wrong(name + "/" + escaped(each.getKey()), "must be a string of at most " + mostChars + " characters");
            } else {
                map.put(each.getKey(), item.textValue());
            }
        }
        return map;
    }

    /** Names a member that may be there, whether or not it is read. */
    void expect(String name) {
        known.add(name);
    }

    /** Records an error for every member that was not read. */
    void noOthers() {
        for (Iterator<String> names = object.fieldNames(); names.hasNext(); ) {
            String name = names.next();
            if (!known.contains(name)) {
                error(escaped(name), "unknown", "is not known; openapi.yaml lists what there is");
            }
        }
    }

    /** Records an error of a member. */
    void wrong(String name, String what) {
        error(name, "invalid", what);
    }

    private void error(String name, String code, String what) {
        String field = pointer + "/" + name;
        errors.add(FieldError.of(field, code, field.substring(1) + " " + what));
    }

    private JsonNode value(String name) {
        known.add(name);
        JsonNode value = object.get(name);
        return value == null || value.isNull() ? MissingNode.getInstance() : value;
    }

    private static String escaped(String name) {
        return name.replace("~", "~0").replace("/", "~1");
    }
}
