package io.sluice.engine.lsm;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Reads and writes lines of the event log, each one entry as a JSON object. Skips unknown fields. */
final class EntryJson {
    private static final JsonMapper JSON = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    private static final ObjectWriter WRITER = JSON.writerFor(LsmEntry.class);
    private static final ObjectReader READER = JSON.readerFor(LsmEntry.class);

    private EntryJson() {}

    /** The line of an entry, with its line feed. */
    static byte[] write(LsmEntry entry) {
        try {
            byte[] json = WRITER.writeValueAsBytes(entry);
            byte[] line = Arrays.copyOf(json, json.length + 1);
            line[json.length] = '\n';
            return line;
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("an event that is no JSON: " + entry, e);
        }
    }

    /** The entry of a line, or null when the line is truncated or written by a later version. */
    static @Nullable LsmEntry read(String line) {
        try {
            LsmEntry entry = READER.readValue(line);
            return complete(entry) ? entry : null;
        } catch (IOException e) {
            return null;
        }
    }

    /** Whether all fields are set. Jackson leaves missing ones null, even of non-null types. */
    @SuppressWarnings("ConstantValue")
    private static boolean complete(@Nullable LsmEntry entry) {
        return entry != null && entry.family() != null && entry.event() != null && entry.after() != null;
    }
}
