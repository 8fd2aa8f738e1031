package io.sluice.http;

import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sluice.api.error.BadInputException;
import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * JSON bodies. Unknown fields are errors: they are typing mistakes of people, or of a newer client's that must know.
 */
public final class Bodies {
    /** The mapper of all bodies, for answers too; do not configure it. */
    public static final ObjectMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private static final TypeReference<List<@Nullable String>> TEXTS = new TypeReference<>() {};

    private Bodies() {}

    /**
     * Reads a body.
     *
     * @throws BadInputException when it is not what is expected, in words that name fields but no classes
     */
    public static <T> T read(byte[] body, Class<T> type) {
        try {
            T value = JSON.readValue(body, type);
            if (value == null) {
                throw new BadInputException("the body is null");
            }
            return value;
        } catch (JsonProcessingException e) {
            throw new BadInputException("the body: " + reason(e), e);
        } catch (IOException e) {
            throw notUtf8(e);
        }
    }

    /**
     * A body as a tree; a missing node when it is empty.
     *
     * @throws BadInputException when it is no JSON, or nested deeper or with longer numbers than anybody means
     */
    public static JsonNode tree(byte[] body) {
        try {
            JsonNode tree = JSON.readTree(body);
            return tree == null ? JSON.missingNode() : tree;
        } catch (JsonProcessingException e) {
            throw new BadInputException("the body: " + reason(e), e);
        } catch (IOException e) {
            throw notUtf8(e);
        }
    }

    /** Nothing is read but memory, so it is the bytes that are wrong. */
    private static BadInputException notUtf8(IOException e) {
        return new BadInputException("the body: no JSON in UTF-8", e);
    }

    /**
     * Texts and nulls from an array.
     *
     * @param name what the array is called, for the message
     * @throws BadInputException when it is no JSON array of those
     */
    public static List<@Nullable String> texts(String name, String array) {
        try {
            List<@Nullable String> texts = JSON.readValue(array, TEXTS);
            if (texts == null) {
                throw new BadInputException(name + ": not an array of texts");
            }
            return texts;
        } catch (JsonProcessingException e) {
            throw new BadInputException(name + ": not an array of texts", e);
        }
    }

    private static String reason(JsonProcessingException e) {
        if (e instanceof UnrecognizedPropertyException unknown) {
            return "there is no field " + path(unknown);
        }
        if (e instanceof StreamConstraintsException) {
            return "nested deeper than 1,000 levels, or with a number of more than 1,000 digits; nothing takes such a"
                    + " value";
        }
        if (e.getCause() instanceof BadInputException cause) {
            return String.valueOf(cause.getMessage());
        }
        if (e instanceof JsonMappingException mapping && !mapping.getPath().isEmpty()) {
            return "field " + path(mapping) + " does not hold what it should";
        }
        if (e instanceof JsonParseException && e.getLocation() != null) {
            return "no JSON at line " + e.getLocation().getLineNr() + ", column "
                    + e.getLocation().getColumnNr();
        }
        return "not the JSON that is expected";
    }

    private static String path(JsonMappingException e) {
        return e.getPath().stream()
                .map(step -> step.getFieldName() == null ? Integer.toString(step.getIndex()) : step.getFieldName())
                .collect(Collectors.joining("."));
    }
}
