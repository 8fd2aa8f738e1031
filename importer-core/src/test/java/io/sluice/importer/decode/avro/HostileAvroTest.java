package io.sluice.importer.decode.avro;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.importer.decode.Decoding;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.decode.input.InputFormat.Avro.Encoding;
import io.sluice.importer.source.OcfFraming;
import io.sluice.importer.source.origin.LocalFile;
import io.sluice.importer.source.parquet.ParquetFooter;
import io.sluice.importer.source.parquet.ParquetStream;
import io.sluice.model.error.BadInputException;
import io.sluice.model.schema.TableDef;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.avro.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Damaged and hostile files give bad input with the file's name, or rejects that count the lost records. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class HostileAvroTest {
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());
    private static final TableDef TABLE = Decoding.table("id INT8 PRIMARY KEY, name STRING");
    private static final String SCHEMA = "{'type':'record','name':'r','fields':[{'name':'id','type':'long'},"
            + "{'name':'name','type':['null','string']}]}";
    private static final InputFormat CONTAINERS = InputFormat.Avro.containers(false);

    @TempDir
    Path directory;

    private AvroRun read(byte[] bytes, int splitBytes) throws IOException {
        Path file = directory.resolve("hostile.avro");
        Files.write(file, bytes);
        return AvroRun.of(file, CONTAINERS, TABLE, splitBytes);
    }

    /** Three blocks of ten rows. */
    private static AvroBytes threeBlocks(String codec) {
        AvroBytes file = AvroBytes.header(SCHEMA, codec);
        for (int block = 0; block < 3; block++) {
            AvroBytes data = new AvroBytes();
            for (int i = 0; i < 10; i++) {
                data.number(block * 10 + i).number(1).string("row " + i);
            }
            file.block(10, codec.equals("deflate") ? data.deflated() : data.toArray());
        }
        return file;
    }

    @ParameterizedTest
    @ValueSource(strings = {"null", "deflate"})
    void truncatedAtEveryByte(String codec) throws IOException {
        byte[] whole = threeBlocks(codec).toArray();
        int header = AvroBytes.header(SCHEMA, codec).toArray().length;
        assertEquals(30, read(whole, 100).rows().size());
        for (int length = 0; length < whole.length; length++) {
            byte[] part = Arrays.copyOf(whole, length);
            if (length < header) {
                String message = assertThrows(BadInputException.class, () -> read(part, 100))
                        .getMessage();
                assertTrue(String.valueOf(message).startsWith("input.avro: "), message);
                continue;
            }
            AvroRun run = read(part, 100);
            assertEquals(0, run.rows().size() % 10, "cut at " + length);
            // What is left of a block counts as all that it says it has, or as one where it cannot say.
            long more = run.rejects().isEmpty() ? 0 : run.lost();
            assertTrue(more == 0 || more == 1 || more == 10, "cut at " + length + ": " + run.log());
            assertEquals(
                    run.rejects().isEmpty(), (length - header) == run.rows().size() / 10 * blockBytes(whole, header));
        }
    }

    private static int blockBytes(byte[] whole, int header) {
        return (whole.length - header) / 3;
    }

    @Test
    void flippedBits() throws IOException {
        for (String codec : List.of("null", "deflate", "snappy", "bzip2", "xz", "zstandard")) {
            byte[] good = Files.readAllBytes(AvroRun.resource("fastavro-" + codec + ".avro"));
            TableDef table = Decoding.table("id INT8 PRIMARY KEY, text STRING, price DECIMAL(12,2), several INT8");
            Path file = directory.resolve("flipped.avro");
            for (int i = 0; i < 60; i++) {
                long seed = SEED + i;
                Random random = new Random(seed);
                byte[] bytes = good.clone();
                for (int flips = 1 + random.nextInt(4); flips > 0; flips--) {
                    bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
                }
                Files.write(file, bytes);
                try {
                    AvroRun run = AvroRun.of(file, CONTAINERS, table, 1 << random.nextInt(17));
                    assertTrue(run.rows().size() <= 250, "seed " + seed);
                } catch (BadInputException e) {
                    assertTrue(String.valueOf(e.getMessage()).startsWith("input.avro: "), "seed " + seed + e);
                } catch (RuntimeException e) {
                    throw new AssertionError("seed " + seed + ", codec " + codec, e);
                }
            }
        }
    }

    /** Only the converter writes blocks by column, but any file may say that it has them. */
    @Test
    void flippedBitsOfBlocksByColumn() throws IOException {
        Path stored = Path.of("../samples/orders.parquet");
        byte[] good;
        try (FileChannel channel = FileChannel.open(stored);
                ParquetStream converted = ParquetStream.ofAll(
                        channel, ParquetFooter.of(new LocalFile(stored), channel, "orders.parquet"))) {
            good = converted.readAllBytes();
        }
        int header = OcfFraming.UNKNOWN.firstRecordEnd(good, 0, good.length, false);
        TableDef table = Decoding.table("customer_id INT8, order_no INT4, placed_at TIMESTAMPTZ, status STRING,"
                + " total DECIMAL(10,2), coupon STRING, gift BOOL, reference UUID, note STRING,"
                + " PRIMARY KEY (customer_id, order_no)");
        int whole = read(good, table).rows().size();
        assertTrue(whole > 0);
        for (int i = 0; i < 200; i++) {
            long seed = SEED + i;
            Random random = new Random(seed);
            byte[] bytes = good.clone();
            for (int flips = 1 + random.nextInt(4); flips > 0; flips--) {
                // Heads of columns are at the start of a block.
                int most = random.nextBoolean() ? 200 : bytes.length - header;
                bytes[header + random.nextInt(most)] ^= (byte) (1 << random.nextInt(8));
            }
            try {
                AvroRun run = read(bytes, table);
                assertTrue(run.rows().size() <= whole, "seed " + seed);
            } catch (RuntimeException e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
    }

    private AvroRun read(byte[] bytes, TableDef table) throws IOException {
        Path file = directory.resolve("columns.avro");
        Files.write(file, bytes);
        return AvroRun.of(file, CONTAINERS, table, 1 << 20);
    }

    @Test
    void aBadBlockIsPassedOverAndCounted() throws IOException {
        byte[] whole = threeBlocks("null").toArray();
        int header = AvroBytes.header(SCHEMA, "null").toArray().length;
        int block = blockBytes(whole, header);
        // The marker of the second block.
        whole[header + 2 * block - 1] ^= 1;
        AvroRun run = read(whole, 64);
        assertEquals(10, run.rows().size());
        assertEquals(1, run.rejects().size());
        // Its frame does not end: reading goes on behind the next marker, that of the third block.
        assertEquals(10, run.lost());
        assertTrue(run.log().contains("row 11, "), run.log());
        assertTrue(run.log().contains("no sync marker is there"), run.log());
    }

    @Test
    void aMalformedRecordLosesTheRestOfItsBlock() throws IOException {
        AvroBytes data = new AvroBytes();
        data.number(1).number(1).string("good");
        data.number(2).number(7); // a branch that the union does not have
        data.number(3).number(0);
        AvroBytes next = new AvroBytes().number(4).number(0);
        AvroRun run = read(
                AvroBytes.header(SCHEMA, "null")
                        .block(3, data.toArray())
                        .block(1, next.toArray())
                        .toArray(),
                1 << 16);
        assertEquals(List.of("1 | good", "4 | NULL"), run.rows());
        assertEquals(List.of(0L, 3L), run.positions());
        assertEquals(2, run.lost());
        assertTrue(run.log().contains("is record 2 of the block at byte"), run.log());
    }

    @Test
    void numbersThatCannotBe() throws IOException {
        byte[] overlong = new byte[11];
        Arrays.fill(overlong, (byte) 0x80);
        for (byte[] data : List.of(
                overlong,
                new byte[] {-1, -1, -1, -1, -1, -1, -1, -1, -1, 2, 0}, // 65 bits
                new AvroBytes().number(1).number(1).number(-5).toArray(),
                new AvroBytes().number(1).number(1).number(Long.MAX_VALUE).toArray(),
                new AvroBytes().number(1).number(-1).toArray(),
                new byte[0])) {
            AvroRun run = read(AvroBytes.header(SCHEMA, "null").block(1, data).toArray(), 1 << 16);
            assertEquals(List.of(), run.rows());
            assertEquals(1, run.lost(), run.log());
        }
    }

    @Test
    void framesThatCannotBe() throws IOException {
        AvroBytes good = new AvroBytes().number(1).number(0);
        for (long[] frame : new long[][] {
            {-1, 2}, {1L << 40, 2}, {Long.MIN_VALUE, 2}, {1, -2}, {1, 1L << 40}, {1, Long.MAX_VALUE}, {1, 1}, {1, 300}
        }) {
            AvroBytes file = AvroBytes.header(SCHEMA, "null");
            file.number(frame[0]).number(frame[1]).raw(good.toArray()).sync();
            file.block(1, good.toArray());
            AvroRun run = read(file.toArray(), 1 << 16);
            assertEquals(List.of("1 | NULL"), run.rows(), Arrays.toString(frame));
            assertEquals(1, run.lost(), run.log());
        }
    }

    @Test
    void moreRecordsThanTheBlockHas() throws IOException {
        byte[] one = new AvroBytes().number(1).number(0).toArray();
        AvroRun run =
                read(AvroBytes.header(SCHEMA, "null").block(1_000_000, one).toArray(), 1 << 16);
        assertEquals(1, run.rows().size());
        assertEquals(999_999, run.lost());
        run = read(AvroBytes.header(SCHEMA, "null").block(0, one).toArray(), 1 << 16);
        assertEquals(1, run.lost(), "bytes behind the last record");
    }

    @Test
    void aZipBomb() throws IOException {
        byte[] zeros = new AvroBytes().raw(new byte[64 << 20]).deflated();
        AvroRun run = read(AvroBytes.header(SCHEMA, "deflate").block(7, zeros).toArray(), 1 << 16);
        assertEquals(7, run.lost());
        assertTrue(run.log().contains("the limit for one block"), run.log());
    }

    @Test
    void hostileSchemas() throws IOException {
        for (String schema : List.of(
                "",
                "[",
                "'int'",
                "{'type':'record'}",
                "{'type':'record','name':'r','fields':[]}",
                "{'type':'record','name':'r','fields':[{'name':'id','type':'null'}]}",
                "{'type':'record','name':'r','fields':[{'name':'id','type':'nonsense'}]}",
                "{'type':'record','name':'r','fields':[{'name':'other','type':'int'}]}",
                "{'type':'record','name':'r','fields':[{'name':'id','type':{'type':'array','items':'int'}}]}",
                "{'type':'array','items':".repeat(20_000))) {
            byte[] file = AvroBytes.header(schema, "null").block(1, new byte[1]).toArray();
            String message = assertThrows(BadInputException.class, () -> read(file, 1 << 16), schema)
                    .getMessage();
            assertTrue(String.valueOf(message).startsWith("input.avro: "), message);
        }
    }

    @Test
    void arraysOfNothingAndEndlessNesting() throws IOException {
        String schema = "{'type':'record','name':'r','fields':[{'name':'id','type':'long'},"
                + "{'name':'nothing','type':{'type':'array','items':'null'}},"
                + "{'name':'list','type':['null','r']}]}";
        TableDef table = Decoding.table("id INT8 PRIMARY KEY");
        AvroBytes data =
                new AvroBytes().number(1).number(Long.MAX_VALUE).number(0).number(0);
        for (int i = 0; i < 100_000; i++) {
            data.number(i).number(0).number(1);
        }
        Path file = directory.resolve("deep.avro");
        Files.write(
                file, AvroBytes.header(schema, "null").block(2, data.toArray()).toArray());
        AvroRun run = AvroRun.of(file, CONTAINERS, table, 1 << 16);
        assertEquals(List.of("1"), run.rows());
        assertTrue(run.log().contains("nested deeper"), run.log());
    }

    @Test
    void aMalformedDatumLosesTheRestOfTheFile() throws IOException {
        Schema schema = AvroSchemas.record(SCHEMA.replace('\'', '"'), "test");
        AvroBytes data = new AvroBytes().number(1).number(0).number(2).number(9);
        for (int i = 0; i < 1000; i++) {
            data.number(i).number(0);
        }
        Path file = directory.resolve("datums");
        Files.write(file, data.toArray());
        for (int splitBytes : new int[] {16, 1 << 16}) {
            AvroRun run =
                    AvroRun.of(file, new InputFormat.Avro(Encoding.BINARY, schema, false, "t"), TABLE, splitBytes);
            assertEquals(List.of("1 | NULL"), run.rows());
            assertTrue(run.log().contains("the rest of the file is lost"), run.log());
        }
    }

    /** As in CSV, whose framing finds the ends of splits. */
    @Test
    void linesOfJsonEndAsThoseOfTheFraming() throws IOException {
        Schema schema = AvroSchemas.record(SCHEMA.replace('\'', '"'), "test");
        for (String end : List.of("\r", "\n", "\r\n")) {
            Path file = Files.writeString(
                    directory.resolve("lines.json"),
                    String.join(end, "{\"id\": 1, \"name\": null}", "{\"id\": 2}", "", "{\"id\": 3, \"name\": null}"));
            AvroRun run = AvroRun.of(file, new InputFormat.Avro(Encoding.JSON, schema, false, "t"), TABLE, 1 << 10);
            assertEquals(List.of("1 | NULL", "3 | NULL"), run.rows(), run.log());
            assertEquals(1, run.lost(), run.log());
            assertTrue(run.log().contains("line 2,"), run.log());
        }
    }

    @Test
    void jsonThatIsNoDatum() throws IOException {
        Schema schema = AvroSchemas.record(SCHEMA.replace('\'', '"'), "test");
        Path file = directory.resolve("lines.json");
        Files.writeString(file, """
                {"id": 1, "name": null}

                {"id": 1.5, "name": null}
                {"id": 2, "name": null} trailing
                {"id": 3, "name": "bare"}
                {"id": 4}
                not json
                {"name": {"string": "x"}, "id": 5}
                """ + "[".repeat(100_000));
        AvroRun run = AvroRun.of(file, new InputFormat.Avro(Encoding.JSON, schema, false, "t"), TABLE, 64);
        assertEquals(List.of("1 | NULL", "5 | x"), run.rows());
        assertEquals(6, run.lost(), run.log());
        assertTrue(run.log().contains("line 3,"), run.log());
    }
}
