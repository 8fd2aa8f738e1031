package io.sluice.node.lsm;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A line of the event log: one entry as a JSON object. Fields that this version does not know are skipped. */
final class EntryJson {
    private static final JsonMapper JSON = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    private static final ObjectWriter WRITER = JSON.writerFor(LsmEntry.class);
    private static final ObjectReader READER = JSON.readerFor(LsmEntry.class);

    private EntryJson() {}

    /** The line, with its end. */
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

    /** The entry, or null when the line is none: it was cut off, or a later version wrote it. */
    static @Nullable LsmEntry read(String line) {
        try {
            LsmEntry entry = READER.readValue(line);
            return complete(entry) ? entry : null;
        } catch (IOException e) {
            return null;
        }
    }

    /** Jackson leaves fields that are missing null, whatever the types say. */
    @SuppressWarnings("ConstantValue")
    private static boolean complete(@Nullable LsmEntry entry) {
        return entry != null && entry.family() != null && entry.event() != null && entry.after() != null;
    }
}
