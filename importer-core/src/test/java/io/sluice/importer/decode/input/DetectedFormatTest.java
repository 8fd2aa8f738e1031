package io.sluice.importer.decode.input;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.importer.source.InputFiles;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class DetectedFormatTest {
    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource(delimiter = '~', quoteCharacter = '`', textBlock = """
                    t.jsonl ~ nothing of the kind     ~ JSONL
                    T.NDJSON ~ {"a":1}                ~ JSONL
                    t.json  ~ {"a":1}                 ~ JSONL
                    t.json  ~ /  [/{"a":1}]           ~ JSON
                    t.json  ~ [1]                     ~ JSON
                    t       ~ {"a":1}/{               ~ JSONL
                    t       ~ {"a":1},5               ~ CSV
                    t       ~ {"a,1                   ~ CSV
                    t       ~ {a},1                   ~ CSV
                    t       ~ {}                      ~ CSV
                    t.txt   ~ [ {"a":1}/]             ~ JSON
                    t       ~ [1,2]                   ~ CSV
                    t       ~ [{x,2                   ~ CSV
                    t.csv   ~ {"a":1}                 ~ CSV
                    t.tsv   ~ [{"a":1}]               ~ CSV
                    """)
    void nameOrFirstBytesDecide(String name, String text, DetectedFormat format) throws IOException {
        Path file = Files.writeString(directory.resolve(name), text.replace('/', '\n'));
        assertEquals(format, DetectedFormat.of(InputFiles.resolve(List.of(file.toString()))));
    }

    @Test
    void compressedArrayIsFound() throws IOException {
        Path file = directory.resolve("t.json.gz");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
            out.write("[\n{}]".getBytes(StandardCharsets.UTF_8));
        }
        assertEquals(DetectedFormat.JSON, DetectedFormat.of(InputFiles.resolve(List.of(file.toString()))));
    }

    @Test
    void firstLineThatIsLongerThanTheHeadMayBeAnObject() throws IOException {
        Path file = Files.writeString(directory.resolve("t"), "{\"a\":\"" + "x".repeat(70_000) + "\"}\n");
        assertEquals(DetectedFormat.JSONL, DetectedFormat.of(InputFiles.resolve(List.of(file.toString()))));
    }
}
