package io.sluice.engine.lsm;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.deser.std.StdDelegatingDeserializer;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.StdDelegatingSerializer;
import com.fasterxml.jackson.databind.util.StdConverter;
import io.sluice.engine.store.KeyBounds;
import io.sluice.engine.store.LsmFile;
import java.io.IOException;
import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** Reads and writes lines of the event log, each one entry as a JSON object. Skips unknown fields. */
final class EntryJson {
    /** A file in the log. Keys are lower-case hex, whose text order is the unsigned order of the bytes. */
    record FileJson(String name, int level, String smallest, String largest, long bytes, long entries) {
        static FileJson of(LsmFile file) {
            HexFormat hex = HexFormat.of();
            KeyBounds bounds = file.bounds();
            return new FileJson(
                    file.name(),
                    file.level(),
                    hex.formatHex(bounds.smallest()),
                    hex.formatHex(bounds.largest()),
                    file.fileBytes(),
                    file.entries());
        }

        LsmFile file() {
            HexFormat hex = HexFormat.of();
            KeyBounds bounds = new KeyBounds(hex.parseHex(smallest), hex.parseHex(largest));
            return new LsmFile(name, level, bounds, entries, bytes, 0);
        }
    }

    private static final SimpleModule FILES = new SimpleModule()
            .addSerializer(new StdDelegatingSerializer(LsmFile.class, new StdConverter<LsmFile, FileJson>() {
                @Override
                public FileJson convert(LsmFile file) {
                    return FileJson.of(file);
                }
            }))
            .addDeserializer(LsmFile.class, new StdDelegatingDeserializer<>(new StdConverter<FileJson, LsmFile>() {
                @Override
                public LsmFile convert(FileJson json) {
                    return json.file();
                }
            }));

    private static final JsonMapper JSON = JsonMapper.builder()
            .addModule(FILES)
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
