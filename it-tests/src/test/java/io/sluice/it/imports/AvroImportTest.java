package io.sluice.it.imports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.cli.Sluice;
import io.sluice.importer.decode.CsvDialect;
import io.sluice.importer.decode.avro.AvroSchemas;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.decode.input.InputFormat.Avro.Encoding;
import io.sluice.importer.job.ImportReport;
import io.sluice.it.support.Imports;
import io.sluice.it.support.Imports.How;
import io.sluice.it.support.SluiceProcess;
import io.sluice.model.error.BadInputException;
import io.sluice.model.schema.TableDef;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.file.DataFileReader;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.Encoder;
import org.apache.avro.io.EncoderFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The same rows make the same table, whatever format they come in. */
@SuppressWarnings("NullAway.Init") // made before all tests
class AvroImportTest {
    private static final int ROWS = 10_000;

    @TempDir
    static Path inputs;

    private static TableDef stock;
    private static String digest;

    @TempDir
    Path directory;

    @BeforeAll
    static void importCsv() throws IOException {
        Path csv = inputs.resolve("stock.csv");
        Path schema = inputs.resolve("stock.sql");
        assertEquals(0, workload("csv", "null", csv, "--schema", schema.toString()));
        stock = Imports.table(Files.readString(schema));
        ImportReport report = Imports.intoNewStore(inputs.resolve("store"), stock, How.USUAL, csv);
        assertEquals(ROWS, report.rows().imported());
        digest = String.valueOf(report.digest());
    }

    private static int workload(String format, String codec, Path out, String... more) {
        String[] fixed = {
            "workload", "tpcc", "stock", "--scale", "0.1", "--format", format, "--codec", codec, "-o", out.toString()
        };
        String[] all = Arrays.copyOf(fixed, fixed.length + more.length);
        System.arraycopy(more, 0, all, fixed.length, more.length);
        return Sluice.run(all);
    }

    private static How how(InputFormat format, int workers, boolean direct) {
        How how = How.USUAL.with(Imports.SMALL_MEMORY_BYTES, workers).of(format);
        return direct ? how.direct() : how;
    }

    @ParameterizedTest
    @CsvSource({
        "null,1,false",
        "null,3,true",
        "deflate,2,false",
        "snappy,2,true",
        "zstandard,4,false",
        "xz,2,false",
        "bzip2,2,false"
    })
    void containerFilesMakeTheTableThatCsvMakes(String codec, int workers, boolean direct) {
        Path file = directory.resolve("stock.avro");
        assertEquals(0, workload("avro", codec, file));
        ImportReport report = Imports.intoNewStore(
                directory.resolve("store"), stock, how(InputFormat.Avro.containers(true), workers, direct), file);
        assertEquals(digest, report.digest());
        assertEquals(ROWS, report.rows().read());
    }

    @ParameterizedTest
    @CsvSource({"BINARY", "JSON"})
    void recordsWithASchemaMakeTheSameTable(Encoding encoding) throws IOException {
        Path container = directory.resolve("stock.avro");
        assertEquals(0, workload("avro", "null", container));
        Path records = directory.resolve("records");
        Schema schema;
        try (var reader = new DataFileReader<Object>(container.toFile(), new GenericDatumReader<>());
                var out = Files.newOutputStream(records)) {
            schema = reader.getSchema();
            GenericDatumWriter<Object> writer = new GenericDatumWriter<>(schema);
            BinaryEncoder binary = EncoderFactory.get().binaryEncoder(out, null);
            for (Object record : reader) {
                Encoder encoder = encoding == Encoding.BINARY
                        ? binary
                        : EncoderFactory.get().jsonEncoder(schema, out);
                writer.write(record, encoder);
                encoder.flush();
                if (encoding == Encoding.JSON) {
                    out.write('\n');
                }
            }
        }
        InputFormat format =
                new InputFormat.Avro(encoding, AvroSchemas.record(schema.toString(), "test"), false, "test");
        ImportReport report = Imports.intoNewStore(directory.resolve("store"), stock, how(format, 2, false), records);
        assertEquals(digest, report.digest());
    }

    @Test
    void tablesWithoutAKeyDoNotDependOnSplits() {
        Path file = directory.resolve("stock.avro");
        assertEquals(0, workload("avro", "deflate", file));
        TableDef keyless = Imports.table("CREATE TABLE stock (s_i_id INT4, s_data STRING, INDEX (s_data));");
        InputFormat format = InputFormat.Avro.containers(false);
        ImportReport one = Imports.intoNewStore(directory.resolve("one"), keyless, how(format, 1, false), file, file);
        ImportReport many = Imports.intoNewStore(directory.resolve("many"), keyless, how(format, 4, true), file, file);
        assertEquals(2 * ROWS, one.rows().imported());
        assertEquals(one.digest(), many.digest());
    }

    @Test
    void aFileThatIsCutOffLosesItsLastBlockAndNothingElse() throws IOException {
        Path file = directory.resolve("stock.avro");
        assertEquals(0, workload("avro", "null", file));
        byte[] bytes = Files.readAllBytes(file);
        Files.write(file, Arrays.copyOf(bytes, bytes.length - 100));
        How how = how(InputFormat.Avro.containers(false), 2, false);
        BadInputException e = assertThrows(
                BadInputException.class, () -> Imports.intoNewStore(directory.resolve("store"), stock, how, file));
        assertTrue(String.valueOf(e.getMessage()).contains("malformed or cut off"), e.getMessage());
        ImportReport report = Imports.intoNewStore(directory.resolve("store"), stock, how.allowing(1000, null), file);
        assertEquals(ROWS, report.rows().imported() + report.rows().rejected());
        assertTrue(report.rows().rejected() > 1, report.toString());
    }

    /** A table with columns that neither file has: both fill them alike. */
    @Test
    void columnsWithoutAFieldTakeTheirDefaultsAsInCsv() {
        TableDef table = Imports.table(
                "CREATE TABLE stock (s_w_id INT8, s_i_id INT8, s_data STRING,"
                        + " note STRING NOT NULL DEFAULT 'none', n DECIMAL(6,2) DEFAULT 7, z INT8, PRIMARY KEY (s_w_id, s_i_id))");
        List<String> names = stock.columns().stream()
                .map(column -> (table.columnIndex(column.name()) < 0 ? "@" : "") + column.name())
                .toList();
        Path file = directory.resolve("stock.avro");
        assertEquals(0, workload("avro", "null", file));
        ImportReport avro = Imports.intoNewStore(
                directory.resolve("avro"), table, how(InputFormat.Avro.containers(false), 2, false), file);
        ImportReport csv = Imports.intoNewStore(
                directory.resolve("csv"),
                table,
                how(new InputFormat.Csv(CsvDialect.DEFAULT, names), 2, false),
                inputs.resolve("stock.csv"));
        assertEquals(ROWS, avro.rows().imported());
        assertEquals(csv.digest(), avro.digest());
    }

    @Test
    void aNullIsNotExplainedWithTextEncodings() throws Exception {
        Schema schema = AvroSchemas.record(
                "{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"id\",\"type\":\"int\"},"
                        + "{\"name\":\"c\",\"type\":[\"null\",\"string\"]}]}",
                "test");
        Path file = directory.resolve("nulls.avro");
        try (var writer = new DataFileWriter<Object>(new GenericDatumWriter<>(schema))) {
            writer.create(schema, file.toFile());
            GenericData.Record record = new GenericData.Record(schema);
            record.put("id", 0);
            writer.append(record);
        }
        Path ddl = Files.writeString(
                directory.resolve("t.sql"), "CREATE TABLE t (id INT8 PRIMARY KEY, c STRING NOT NULL)");
        SluiceProcess.Result refused = SluiceProcess.call(
                "import",
                "--schema",
                ddl.toString(),
                "--store",
                directory.resolve("store").toString(),
                file.toString());
        assertEquals(2, refused.exitCode(), refused.err());
        assertTrue(refused.err().contains("column c: is NOT NULL but the field is null"), refused.err());
        assertTrue(refused.err().contains("leave NOT NULL out of the column's declaration"), refused.err());
        assertFalse(refused.err().contains("charset"), refused.err());
    }
}
