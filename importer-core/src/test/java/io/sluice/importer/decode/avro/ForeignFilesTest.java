package io.sluice.importer.decode.avro;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.importer.decode.Decoding;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.decode.input.InputFormat.Avro.Encoding;
import io.sluice.model.schema.TableDef;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.avro.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that fastavro and avsc wrote; {@code src/test/resources/avro/README.md} says how. */
class ForeignFilesTest {
    private static final TableDef EVERYTHING =
            Decoding.table("id INT8 PRIMARY KEY, flag BOOL, small INT2, single FLOAT4,"
                    + " real FLOAT8, text STRING, raw BYTES, price DECIMAL(12,2), wide DECIMAL(38,4), day DATE, t_millis TIME,"
                    + " t_micros TIME, ts_millis TIMESTAMPTZ, ts_micros TIMESTAMPTZ, local_millis TIMESTAMP,"
                    + " local_micros TIMESTAMP, u_text UUID, kind STRING, four BYTES, maybe STRING, maybe_last INT8,"
                    + " several INT8");
    private static final TableDef VISITS = Decoding.table("id INT4 PRIMARY KEY, name STRING, score FLOAT8,"
            + " at TIMESTAMPTZ, day DATE, tint STRING(4), mark BYTES");

    private static List<String> expected() throws IOException {
        return Files.readAllLines(AvroRun.resource("expected.txt"));
    }

    @ParameterizedTest
    @CsvSource({
        "null,65536",
        "null,500",
        "deflate,65536",
        "deflate,500",
        "snappy,65536",
        "snappy,500",
        "bzip2,65536",
        "bzip2,500",
        "xz,65536",
        "xz,500",
        "zstandard,65536",
        "zstandard,500"
    })
    void everyCodecAndLogicalTypeOfFastavro(String codec, int splitBytes) throws IOException {
        AvroRun run = AvroRun.of(
                AvroRun.resource("fastavro-" + codec + ".avro"),
                InputFormat.Avro.containers(false),
                EVERYTHING,
                splitBytes);
        assertEquals(List.of(), run.rejects());
        assertEquals(expected(), run.rows());
        assertEquals(LongStream.range(0, 200).boxed().toList(), run.positions());
    }

    @ParameterizedTest
    @ValueSource(ints = {65536, 300})
    void datumsWithoutAHeader(int splitBytes) throws IOException {
        AvroRun run = AvroRun.of(AvroRun.resource("fastavro.datums"), format(Encoding.BINARY), EVERYTHING, splitBytes);
        assertEquals(List.of(), run.rejects());
        assertEquals(expected().subList(0, 50), run.rows());
    }

    @ParameterizedTest
    @ValueSource(ints = {65536, 300})
    void jsonLines(int splitBytes) throws IOException {
        AvroRun run = AvroRun.of(AvroRun.resource("fastavro.jsonl"), format(Encoding.JSON), EVERYTHING, splitBytes);
        assertEquals(List.of(), run.rejects());
        assertEquals(expected().subList(0, 50), run.rows());
    }

    private static InputFormat format(Encoding encoding) throws IOException {
        String json = Files.readString(AvroRun.resource("everything.avsc"));
        Schema schema = AvroSchemas.record(json, "everything.avsc");
        return new InputFormat.Avro(encoding, schema, false, "everything.avsc");
    }

    @ParameterizedTest
    @ValueSource(strings = {"null", "deflate", "snappy"})
    void everyCodecOfAvsc(String codec) {
        AvroRun run = AvroRun.of(
                AvroRun.resource("avsc-" + codec + ".avro"), InputFormat.Avro.containers(false), VISITS, 2000);
        assertEquals(List.of(), run.rejects());
        List<String> rows =
                IntStream.range(0, 150).mapToObj(ForeignFilesTest::visit).toList();
        assertEquals(rows, run.rows());
    }

    /** The row that the generating script makes, in the words of java.time. */
    private static String visit(int n) {
        java.time.LocalDateTime at = java.time.LocalDateTime.ofEpochSecond(0, 0, java.time.ZoneOffset.UTC)
                .plus(java.time.Duration.ofMillis(1_000_000_000_000L + n * 86_399_999L));
        return String.join(
                " | ",
                String.valueOf(n),
                n % 4 == 0 ? "NULL" : "visitor " + n,
                new java.math.BigDecimal(n).divide(new java.math.BigDecimal(8)).toString(),
                ExpectedText.timestamp(at) + "+00",
                java.time.LocalDate.ofEpochDay(n * 11L - 300).toString(),
                n % 2 == 0 ? "WARM" : "COLD",
                String.format("\\x%02x07ff", n % 256));
    }

    @Test
    void aTableWithoutThePrimaryKeyTakesNumbersOfRecords() {
        AvroRun run = AvroRun.of(
                AvroRun.resource("avsc-deflate.avro"),
                InputFormat.Avro.containers(false),
                Decoding.table("NAME STRING, Tint STRING"),
                2000);
        assertEquals("visitor 1 | COLD", run.rows().get(1));
        assertEquals(LongStream.range(0, 150).boxed().toList(), run.positions());
    }
}
