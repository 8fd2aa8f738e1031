package io.sluice.cli.output;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.sluice.api.node.IndexChecksum;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;

/** JSON text by Jackson's streaming writer; its object mapper would cost a tenth of a second at every start. */
public final class Json {
    private static final JsonFactory FACTORY = new JsonFactory();

    private Json() {}

    /** Writes one value. */
    @FunctionalInterface
    public interface Content {
        void writeTo(JsonGenerator json) throws IOException;
    }

    /** One object on one line, of the members that the content writes. */
    public static String object(Content members) {
        return line(json -> {
            json.writeStartObject();
            members.writeTo(json);
            json.writeEndObject();
        });
    }

    /** One value on one line. */
    public static String line(Content content) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = FACTORY.createGenerator(text)) {
            content.writeTo(json);
        } catch (IOException e) {
            // A StringWriter has nothing that could fail.
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }

    /** Writes a member of an object: numbers by name. */
    public static void numbers(JsonGenerator json, String name, Map<String, ? extends Number> numbers)
            throws IOException {
        json.writeObjectFieldStart(name);
        for (Map.Entry<String, ? extends Number> each : numbers.entrySet()) {
            json.writeObjectField(each.getKey(), each.getValue());
        }
        json.writeEndObject();
    }

    /** Writes the member {@code kvs}: the number of KVs by index. */
    public static void kvs(JsonGenerator json, List<IndexChecksum> indexes) throws IOException {
        json.writeObjectFieldStart("kvs");
        for (IndexChecksum index : indexes) {
            json.writeNumberField(index.index(), index.sum().count());
        }
        json.writeEndObject();
    }

    /** Writes a member of an object: an array of texts. */
    public static void texts(JsonGenerator json, String name, Iterable<String> texts) throws IOException {
        json.writeArrayFieldStart(name);
        for (String text : texts) {
            json.writeString(text);
        }
        json.writeEndArray();
    }

    /** Writes the members of an object from a value. */
    @FunctionalInterface
    public interface Members<T> {
        void write(T value) throws IOException;
    }

    /** Writes a member of an object: an array with an object for each value. */
    public static <T> void objects(JsonGenerator json, String name, Iterable<T> values, Members<T> members)
            throws IOException {
        json.writeArrayFieldStart(name);
        for (T value : values) {
            json.writeStartObject();
            members.write(value);
            json.writeEndObject();
        }
        json.writeEndArray();
    }
}
