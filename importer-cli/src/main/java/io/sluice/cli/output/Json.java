package io.sluice.cli.output;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;

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
}
