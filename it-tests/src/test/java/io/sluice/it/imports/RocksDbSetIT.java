package io.sluice.it.imports;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.it.support.Seeds;
import io.sluice.it.support.SluiceProcess;
import io.sluice.it.support.SluiceProcess.Result;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.DecoderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rocksdb.IngestExternalFileOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksIterator;

/** Sets for any RocksDB: a plain RocksDB ingests them and holds what the input says, by a computation of the test's. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class RocksDbSetIT {
    private static final long SEED = Seeds.of(RocksDbSetIT.class);
    private static final String SQL = "CREATE TABLE t (id INT8 NOT NULL, area INT2 NOT NULL, name STRING NOT NULL,"
            + " price DECIMAL(12,2), note STRING);";
    private static final int ROWS = 20_000;

    @TempDir
    Path directory;

    private record Item(long id, short area, String name, String price, String note) {}

    private Path schema() throws IOException {
        return Files.writeString(directory.resolve("t.sql"), SQL);
    }

    private Path csv(List<Item> items) throws IOException {
        List<String> lines = items.stream()
                .map(item -> item.id + "," + item.area + "," + item.name + "," + item.price + "," + item.note)
                .toList();
        return Files.write(directory.resolve("t.csv"), lines);
    }

    private static List<Item> items() {
        Random random = new Random(SEED);
        Map<Long, Item> items = new TreeMap<>();
        while (items.size() < ROWS) {
            long id = random.nextLong() >> random.nextInt(64);
            String price = random.nextInt(4) == 0 ? "" : (random.nextInt(2_000_000) - 1_000_000) / 100 + ".25";
            String note = random.nextInt(3) == 0 ? "" : "näh" + random.nextInt(100);
            items.put(id, new Item(id, (short) random.nextInt(), "n" + random.nextInt(1000), price, note));
        }
        return new ArrayList<>(items.values());
    }

    private String[] building(Path output, Path csv, String... more) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                "build",
                "--schema",
                schema().toString(),
                "--output",
                output.toString(),
                "--target",
                "rocksdb",
                "--memory",
                "64m",
                "--json"));
        command.addAll(List.of(more));
        command.add(csv.toString());
        return command.toArray(new String[0]);
    }

    private static List<String> ssts(Path set) throws IOException {
        try (Stream<Path> files = Files.list(set)) {
            return files.map(Path::toString)
                    .filter(file -> file.endsWith(".sst"))
                    .toList();
        }
    }

    /** Ingests the SSTs into a RocksDB that knows nothing of Sluice; returns all that it holds, in its order. */
    private List<byte[][]> ingested(Path set) throws Exception {
        List<byte[][]> all = new ArrayList<>();
        Path path = directory.resolve("plain-db");
        try (Options options = new Options().setCreateIfMissing(true);
                RocksDB db = RocksDB.open(options, path.toString());
                IngestExternalFileOptions ingest = new IngestExternalFileOptions()) {
            db.ingestExternalFile(ssts(set), ingest);
            db.verifyChecksum();
            try (RocksIterator each = db.newIterator()) {
                for (each.seekToFirst(); each.isValid(); each.next()) {
                    all.add(new byte[][] {each.key(), each.value()});
                }
                each.status();
            }
            for (byte[][] kv : all.subList(0, Math.min(100, all.size()))) {
                assertArrayEquals(kv[1], db.get(kv[0]));
            }
        }
        return all;
    }

    @ParameterizedTest
    @ValueSource(strings = {"plain", "ordered"})
    void plainRocksDbHoldsTheRowsAsJson(String encoding) throws Exception {
        List<Item> items = items();
        Path set = directory.resolve("set");
        Result built = SluiceProcess.call(building(
                set,
                csv(items),
                "--key",
                "area,id",
                "--key-encoding",
                encoding,
                "--value",
                "json",
                "--verify",
                "full"));
        assertEquals(0, built.exitCode(), "seed " + SEED + ": " + built);
        TreeMap<byte[], Item> expected = new TreeMap<>(Arrays::compareUnsigned);
        boolean ordered = encoding.equals("ordered");
        for (Item item : items) {
            byte[] key = ByteBuffer.allocate(10)
                    .putShort((short) (ordered ? item.area ^ Short.MIN_VALUE : item.area))
                    .putLong(ordered ? item.id ^ Long.MIN_VALUE : item.id)
                    .array();
            expected.put(key, item);
        }
        List<byte[][]> found = ingested(set);
        assertEquals(expected.size(), found.size(), "seed " + SEED);
        ObjectMapper json = new ObjectMapper();
        int i = 0;
        for (Map.Entry<byte[], Item> entry : expected.entrySet()) {
            byte[][] kv = found.get(i++);
            assertArrayEquals(entry.getKey(), kv[0], "seed " + SEED);
            Item item = entry.getValue();
            JsonNode value = json.readTree(kv[1]);
            String context = "seed " + SEED + ": " + new String(kv[1], StandardCharsets.UTF_8);
            assertEquals(List.of("name", "price", "note"), names(value), context);
            assertEquals(item.name, value.get("name").asText(), context);
            assertEquals(
                    item.note,
                    value.get("note").isNull() ? "" : value.get("note").asText(),
                    context);
            assertEquals(item.price.isEmpty(), value.get("price").isNull(), context);
            if (!item.price.isEmpty()) {
                assertEquals(Double.parseDouble(item.price), value.get("price").asDouble(), context);
            }
        }
        Result verified = SluiceProcess.call("verify", set.toString(), "--json");
        assertEquals(checksum(found), verified.report().get("digest").asText(), verified.toString());
    }

    /** The checksum of the manifest, as docs/how-to/rocksdb.md describes it. */
    private static String checksum(List<byte[][]> kvs) {
        long sum = 0;
        CRC32 crc = new CRC32();
        for (byte[][] kv : kvs) {
            crc.reset();
            crc.update(kv[0]);
            crc.update(3);
            crc.update(kv[1]);
            long z = crc.getValue() + 0x9e3779b97f4a7c15L;
            z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
            z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
            sum += z ^ (z >>> 31);
        }
        return String.format("%016x", sum);
    }

    private static List<String> names(JsonNode object) {
        List<String> names = new ArrayList<>();
        object.fieldNames().forEachRemaining(names::add);
        return names;
    }

    @Test
    void avroValuesAreReadByTheSchemaOfTheManifest() throws Exception {
        List<Item> items = items().subList(0, 500);
        Path set = directory.resolve("set");
        Result built = SluiceProcess.call(building(set, csv(items), "--key", "id", "--value", "avro"));
        assertEquals(0, built.exitCode(), built.toString());
        JsonNode manifest =
                new ObjectMapper().readTree(set.resolve("manifest.json").toFile());
        Schema schema = new Schema.Parser()
                .parse(manifest.at("/set/target/form/valueSchema").asText());
        GenericDatumReader<GenericRecord> reader = new GenericDatumReader<>(schema);
        Map<Long, GenericRecord> found = new TreeMap<>();
        for (byte[][] kv : ingested(set)) {
            GenericRecord value = reader.read(null, DecoderFactory.get().binaryDecoder(kv[1], null));
            found.put(ByteBuffer.wrap(kv[0]).getLong(), value);
        }
        assertEquals(items.size(), found.size());
        for (Item item : items) {
            GenericRecord value = Objects.requireNonNull(found.get(item.id));
            assertEquals((int) item.area, value.get("area"));
            assertEquals(item.name, value.get("name").toString());
            assertEquals(
                    item.note,
                    value.get("note") == null ? "" : value.get("note").toString());
            if (item.price.isEmpty()) {
                assertEquals(null, value.get("price"));
            } else {
                ByteBuffer bytes = (ByteBuffer) value.get("price");
                byte[] unscaled = new byte[bytes.remaining()];
                bytes.get(unscaled);
                assertEquals(new BigDecimal(item.price), new BigDecimal(new BigInteger(unscaled), 2));
            }
        }
    }

    /** The empty text is a key and a value as any other. */
    @Test
    void columnsAreTheirBytes() throws Exception {
        Path set = directory.resolve("set");
        List<Item> items = List.of(
                new Item(-1, (short) 258, "\"\"", "", ""),
                new Item(1, (short) 3, "a", "", ""),
                new Item(2, (short) -2, "ab", "", ""));
        Result built = SluiceProcess.call(
                building(set, csv(items), "--key", "name", "--value", "area,id", "--verify", "full"));
        assertEquals(0, built.exitCode(), built.toString());
        List<String> found = ingested(set).stream()
                .map(kv -> new String(kv[0], StandardCharsets.UTF_8) + "="
                        + HexFormat.of().formatHex(kv[1]))
                .toList();
        assertEquals(List.of("=0102ffffffffffffffff", "a=00030000000000000001", "ab=fffe0000000000000002"), found);
    }

    @Test
    void rowsWithTheSameKeyAreTreatedAsByAnImport() throws Exception {
        List<Item> items = List.of(
                new Item(1, (short) 1, "first", "", ""),
                new Item(2, (short) 1, "second", "", ""),
                new Item(1, (short) 1, "last", "", ""));
        Path csv = csv(items);
        Path set = directory.resolve("set");
        Result refused = SluiceProcess.call(building(set, csv, "--key", "id", "--value", "name"));
        assertEquals(2, refused.exitCode(), refused.toString());
        assertTrue(refused.err().contains("key 0000000000000001"), refused.toString());
        assertTrue(refused.err().contains("t.csv, line 3"), refused.toString());
        assertFalse(Files.exists(set.resolve("manifest.json")));
        Result last = SluiceProcess.call(building(set, csv, "--key", "id", "--value", "name", "--on-conflict", "last"));
        assertEquals(0, last.exitCode(), last.toString());
        List<String> values = ingested(set).stream()
                .map(kv -> new String(kv[1], StandardCharsets.UTF_8))
                .toList();
        assertEquals(List.of("last", "second"), values);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            nope    | json    | plain   | table t has no column nope; it has id, area, name, price, note
            id,id   | json    | plain   | names column id twice
            note    | json    | plain   | column note may be NULL
            name,id | json    | plain   | column name has no fixed length
            price   | json    | ordered | column price may be NULL
            id      | note    | plain   | column note may be NULL
            id      | msgpack | plain   | a value is also json or avro
            """)
    void unusableColumnIsRefused(String key, String value, String encoding, String reason) throws Exception {
        Path set = directory.resolve("set");
        Path csv = csv(List.of(new Item(1, (short) 1, "a", "", "")));
        Result refused =
                SluiceProcess.call(building(set, csv, "--key", key, "--value", value, "--key-encoding", encoding));
        assertEquals(2, refused.exitCode(), refused.toString());
        assertTrue(refused.err().contains(reason), refused.toString());
        assertFalse(Files.exists(set), "something was built");
    }

    @Test
    void otherCommandsSayWhatThePlainSetIsFor() throws Exception {
        Path csv = csv(List.of(new Item(1, (short) 1, "a", "", "")));
        Path set = directory.resolve("set");
        Result incomplete = SluiceProcess.call(building(set, csv));
        assertEquals(2, incomplete.exitCode(), incomplete.toString());
        assertTrue(incomplete.err().contains("--target rocksdb takes --key"), incomplete.toString());
        assertEquals(
                0,
                SluiceProcess.call(building(set, csv, "--key", "id", "--value", "json"))
                        .exitCode());
        Result other = SluiceProcess.call(building(set, csv, "--key", "id", "--value", "avro"));
        assertEquals(2, other.exitCode(), other.toString());
        assertTrue(other.err().contains("staged set of other inputs, options or rows"), other.toString());
        Path store = directory.resolve("store");
        Result refused = SluiceProcess.call("ingest", set.toString(), "--store", store.toString());
        assertEquals(2, refused.exitCode(), refused.toString());
        assertTrue(refused.err().contains("IngestExternalFile"), refused.toString());
        assertFalse(Files.exists(store));
    }

    /**
     * RocksDB as a Python package has built it. Set {@code sluice.it.python} to an interpreter with {@code rocksdict}.
     */
    @Test
    void pythonReadsTheSet() throws Exception {
        String python = System.getProperty("sluice.it.python", "");
        assumeTrue(
                !python.isEmpty(),
                "this machine lacks a Python with the package rocksdict; name one with -Dsluice.it.python");
        Path set = directory.resolve("set");
        List<Item> items = items();
        Result built = SluiceProcess.call(
                building(set, csv(items), "--key", "id", "--key-encoding", "ordered", "--value", "area,name"));
        assertEquals(0, built.exitCode(), built.toString());
        Path script = Files.writeString(directory.resolve("read.py"), """
                import glob, sys
                from rocksdict import Options, Rdict
                options = Options(raw_mode=True)
                options.create_if_missing(True)
                db = Rdict(sys.argv[1], options)
                db.ingest_external_file(glob.glob(sys.argv[2] + "/*.sst"))
                for key, value in db.items():
                    print(int.from_bytes(key, "big") - 2**63,
                          int.from_bytes(value[:2], "big", signed=True),
                          value[2:].decode(), sep=",")
                """);
        Path out = directory.resolve("out.csv");
        Process process = new ProcessBuilder(
                        python, script.toString(), directory.resolve("py").toString(), set.toString())
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        assertTrue(process.waitFor(120, TimeUnit.SECONDS), "Python did not end");
        List<String> expected = items.stream()
                .map(item -> item.id + "," + item.area + "," + item.name)
                .toList();
        assertEquals(expected, Files.readAllLines(out), "seed " + SEED);
    }
}
