package io.sluice.importer.decode.avro;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.importer.decode.Decoding;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.decode.input.InputFormat.Avro.Encoding;
import io.sluice.model.schema.TableDef;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileReader;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.Encoder;
import org.apache.avro.io.EncoderFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Random schemas and records, read by us and by the library, in splits of any size. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class AvroDifferentialTest {
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());
    /** Profile {@code long} sets more. */
    private static final int FILES = Integer.getInteger("sluice.test.files", 50);

    @TempDir
    Path directory;

    static IntStream files() {
        return IntStream.rangeClosed(1, FILES);
    }

    @ParameterizedTest
    @MethodSource("files")
    void rowsAreWhatTheLibraryReads(int number) throws IOException {
        long seed = SEED + number;
        Random random = new Random(seed);
        RandomAvro avro = new RandomAvro(random);
        List<GenericRecord> records = new ArrayList<>();
        for (int i = random.nextInt(200); i >= 0; i--) {
            records.add(avro.record(i));
        }
        TableDef table = Decoding.table(avro.columns());
        int splitBytes = 40 + random.nextInt(3000);
        String clue = "seed " + seed + ", splits of " + splitBytes + ", " + avro.schema();

        Path file = container(avro, records, random);
        List<String> expected = new ArrayList<>();
        try (DataFileReader<GenericRecord> reader =
                new DataFileReader<>(file.toFile(), new GenericDatumReader<GenericRecord>())) {
            reader.forEach(record -> expected.add(avro.text(record)));
        }
        check(expected, AvroRun.of(file, InputFormat.Avro.containers(false), table, splitBytes), clue);

        Path datums = directory.resolve("datums");
        write(datums, avro, records, false);
        check(expected, AvroRun.of(datums, format(Encoding.BINARY, avro), table, splitBytes), clue);

        Path json = directory.resolve("json");
        write(json, avro, records, true);
        check(expected, AvroRun.of(json, format(Encoding.JSON, avro), table, splitBytes), clue);
    }

    private static void check(List<String> expected, AvroRun run, String clue) {
        assertEquals(List.of(), run.rejects(), clue);
        assertEquals(expected, run.rows(), clue);
    }

    private static InputFormat format(Encoding encoding, RandomAvro avro) {
        return new InputFormat.Avro(encoding, avro.schema(), false, "test");
    }

    private Path container(RandomAvro avro, List<GenericRecord> records, Random random) throws IOException {
        Path file = directory.resolve("file.avro");
        String[] codecs = {"null", "deflate", "snappy", "bzip2", "xz", "zstandard"};
        try (DataFileWriter<GenericRecord> writer = new DataFileWriter<>(new GenericDatumWriter<>())) {
            writer.setCodec(CodecFactory.fromString(codecs[random.nextInt(codecs.length)]));
            writer.setSyncInterval(32 + random.nextInt(2000));
            writer.create(avro.schema(), file.toFile());
            for (GenericRecord record : records) {
                writer.append(record);
            }
        }
        return file;
    }

    private static void write(Path file, RandomAvro avro, List<GenericRecord> records, boolean json)
            throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        GenericDatumWriter<GenericRecord> writer = new GenericDatumWriter<>(avro.schema());
        for (GenericRecord record : records) {
            Encoder encoder = json
                    ? EncoderFactory.get().jsonEncoder(avro.schema(), out, false)
                    : EncoderFactory.get().directBinaryEncoder(out, null);
            writer.write(record, encoder);
            encoder.flush();
            if (json) {
                out.write('\n');
            }
        }
        Files.write(file, out.toByteArray());
    }
}
