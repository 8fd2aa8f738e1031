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
import io.sluice.model.error.BadInputException;
import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Parses JSON bodies. Unknown fields are errors: they are typos, or fields of a newer client that must learn of it. */
public final class Bodies {
    /** The mapper of request and response bodies; do not reconfigure it. */
    public static final ObjectMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private static final TypeReference<List<@Nullable String>> TEXTS = new TypeReference<>() {};

    private Bodies() {}

    /**
     * Parses a body.
     *
     * @throws BadInputException if the body is invalid; the message names fields but no classes
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
     * Parses a body as a tree; an empty body is a missing node.
     *
     * @throws BadInputException if the body is not JSON, or exceeds the limits on nesting and number length
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

    /** Converts an I/O error: the parser reads only memory, so the bytes are invalid. */
    private static BadInputException notUtf8(IOException e) {
        return new BadInputException("the body: no JSON in UTF-8", e);
    }

    /**
     * Parses an array of texts and nulls.
     *
     * @param name name of the array in messages
     * @throws BadInputException if the text is not such a JSON array
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
