package io.sluice.node.catalog;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sluice.model.error.OperationFailedException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Reads and writes the catalog's records as JSON. Skips unknown fields. */
final class RecordJson {
    private static final ObjectMapper JSON = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    private RecordJson() {}

    static byte[] write(Object value) {
        try {
            return JSON.writeValueAsBytes(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a catalog record that is no JSON: " + value, e);
        }
    }

    static <T> T read(byte[] key, byte[] value, Class<T> type) {
        try {
            return JSON.readValue(value, type);
        } catch (IOException e) {
            throw new OperationFailedException(
                    "the store's catalog is damaged at " + new String(key, StandardCharsets.UTF_8), e);
        }
    }
}
