package io.sluice.importer.source;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;
import org.apache.avro.Schema;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileStream;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.GenericRecordBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class SpreadSampleTest {
    private static final int LINES = 10_000;
    private static final Framing LINE_FRAMING = new CsvFraming(new byte[] {','}, '"', CsvFraming.NONE, CsvFraming.NONE);

    @TempDir
    Path directory;

    private static String lines() {
        StringBuilder text = new StringBuilder("header\n");
        IntStream.range(0, LINES)
                .forEach(i ->
                        text.append(1_000_000 + i).append(",x".repeat(i % 7)).append('\n'));
        return text.toString();
    }

    private InputFile file(String name, byte[] bytes) throws IOException {
        Path path = Files.write(directory.resolve(name), bytes);
        return new InputFile(3, name, path, bytes.length);
    }

    private static List<String> sampled(InputFile sample) throws IOException {
        try (InputStream text = sample.origin().open()) {
            return new String(text.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
        }
    }

    @Test
    void linesAreWholeAndFromAllOverTheFile() throws IOException {
        InputFile file = file("lines.csv", lines().getBytes(StandardCharsets.UTF_8));
        InputFile sample = SpreadSample.of(file, LINE_FRAMING, 10, 200);
        assertNotNull(sample);
        List<String> lines = sampled(sample);
        assertEquals("header", lines.get(0));
        assertTrue(lines().lines().toList().containsAll(lines), lines.toString());
        for (int place = 1; place < 10; place++) {
            int tenth = place;
            assertTrue(
                    lines.stream()
                            .skip(1)
                            .mapToInt(line -> Integer.parseInt(line.substring(0, 7)) - 1_000_000)
                            .anyMatch(number -> Math.abs(number - LINES / 10 * tenth) < LINES / 50),
                    "place " + place + ": " + lines);
        }
        assertEquals(lines.size(), lines.stream().distinct().count(), "lines that come twice");
        assertEquals(List.of(3, "lines.csv"), List.of(sample.ordinal(), sample.name()));
    }

    @Test
    void placesWithoutALineEndAreLeftOut() throws IOException {
        byte[] text = ("a\n" + "b".repeat(1000) + "\nc\n").getBytes(StandardCharsets.UTF_8);
        InputFile sample = SpreadSample.of(file("long.csv", text), LINE_FRAMING, 5, 50);
        assertNotNull(sample);
        assertEquals(List.of("a"), sampled(sample));
    }

    @Test
    void filesThatCannotBeReadFromTheirMiddleHaveNoSample() throws IOException {
        byte[] text = lines().getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream compressed = new ByteArrayOutputStream();
        try (OutputStream gzip = new GZIPOutputStream(compressed)) {
            gzip.write(text);
        }
        assertNull(SpreadSample.of(file("lines.csv.gz", compressed.toByteArray()), LINE_FRAMING, 5, 200), "compressed");
        assertNull(
                SpreadSample.of(file("wide.csv", lines().getBytes(StandardCharsets.UTF_16)), LINE_FRAMING, 5, 200),
                "UTF-16");
        assertNull(
                SpreadSample.of(new InputFile(0, "standard input", null, text.length), LINE_FRAMING, 5, 200),
                "standard input");
        InputFile changed = file("changed.csv", text);
        Files.write(directory.resolve("changed.csv"), new byte[] {'a', '\n'});
        assertNull(SpreadSample.of(changed, LINE_FRAMING, 5, 200), "changed");
    }

    @Test
    void blocksOfAvroAreWholeAndFromAllOverTheFile() throws IOException {
        Schema schema = new Schema.Parser()
                .parse("{'type':'record','name':'r','fields':[{'name':'n','type':'int'}]}".replace('\'', '"'));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataFileWriter<GenericRecord> out = new DataFileWriter<>(new GenericDatumWriter<>(schema))) {
            out.setSyncInterval(100).setCodec(CodecFactory.deflateCodec(1)).create(schema, bytes);
            for (int i = 0; i < LINES; i++) {
                out.append(new GenericRecordBuilder(schema).set("n", i).build());
            }
        }
        InputFile file = file("rows.avro", bytes.toByteArray());
        InputFile sample = SpreadSample.of(file, OcfFraming.UNKNOWN, 10, 400);
        assertNotNull(sample);
        List<Integer> numbers = new ArrayList<>();
        try (DataFileStream<GenericRecord> in =
                new DataFileStream<>(sample.origin().open(), new GenericDatumReader<>())) {
            in.forEach(row -> numbers.add((Integer) row.get("n")));
        }
        assertEquals(0, numbers.get(0));
        assertEquals(numbers.stream().distinct().sorted().toList(), numbers, "in order, and once each");
        assertTrue(numbers.size() < LINES / 2, numbers.size() + " rows");
        for (int place = 0; place < 10; place++) {
            int from = LINES / 10 * place;
            assertTrue(numbers.stream().anyMatch(n -> n >= from && n < from + LINES / 10), "place " + place);
        }
    }
}
