package io.sluice.spark;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.NodeClient;
import io.sluice.api.node.TableDigest;
import io.sluice.client.RemoteSettings;
import io.sluice.client.cluster.NamedNodes;
import io.sluice.importer.conflict.ConflictPolicy;
import io.sluice.importer.decode.CsvDialect;
import io.sluice.importer.decode.RejectLimit;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.job.ImportControl;
import io.sluice.importer.job.ImportJob;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.ImportSettings;
import io.sluice.importer.job.ImportSettings.Mode;
import io.sluice.importer.job.ImportSettings.Verification;
import io.sluice.importer.job.staged.SetPlace;
import io.sluice.importer.job.staged.StagedBuild;
import io.sluice.importer.job.staged.StagedIngest;
import io.sluice.importer.job.staged.StagedManifest;
import io.sluice.importer.job.staged.StagedSet;
import io.sluice.importer.sort.SortBuffer;
import io.sluice.importer.source.InputFiles;
import io.sluice.importer.source.remote.S3Settings;
import io.sluice.importer.sst.SstFormat;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.kv.IndexKeys;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.Table;
import io.sluice.model.schema.TableDef;
import io.sluice.node.NodeSettings;
import io.sluice.node.StorageNode;
import io.sluice.testing.ObjectStore;
import io.sluice.testing.SomeTests;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.sql.DataFrameWriter;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import scala.Tuple2;

/** Compares what Spark builds with an import of the same rows, and tests what must not become a set. */
@SuppressWarnings("NullAway.Init") // JUnit sets the fields
@SomeTests(6)
class StagedWriteTest {
    private static final String DDL = """
            CREATE TABLE sale (id INT8 PRIMARY KEY, shop INT4 NOT NULL, price DECIMAL(9,2), name STRING, sold DATE,
                at TIMESTAMPTZ(3), local TIMESTAMP, ok BOOL, raw BYTES, weight FLOAT8, note STRING DEFAULT 'none',
                UNIQUE (name), INDEX (shop, price));
            """;
    private static final int ROWS = 5_000;
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());

    private static SparkSession spark;
    private static ObjectStore objects;

    @TempDir
    Path directory;

    @BeforeAll
    static void start() throws Exception {
        System.out.println("StagedWriteTest: seed " + SEED);
        spark = SharedSpark.session();
        objects = SharedSpark.objects();
    }

    /** Rows in random order, as Sluice's CSV; two of three columns may be NULL. */
    private Path csv() throws IOException {
        Random random = new Random(SEED);
        List<String> lines = new ArrayList<>();
        for (int id = 0; id < ROWS; id++) {
            lines.add(String.join(
                    ",",
                    Integer.toString(id),
                    Integer.toString(random.nextInt(50)),
                    random.nextInt(5) == 0 ? "" : random.nextInt(100_000) / 100.0 + "",
                    "name " + Integer.toString(id, 36),
                    random.nextInt(5) == 0 ? "" : "20" + (10 + random.nextInt(80)) + "-02-28",
                    "19" + (10 + random.nextInt(80)) + "-11-05 23:59:59." + (100_000 + random.nextInt(900_000)) + "Z",
                    "2024-03-10 02:30:00." + (100_000 + random.nextInt(900_000)),
                    random.nextBoolean() + "",
                    random.nextInt(5) == 0 ? "" : "\\x" + Integer.toHexString(0x1000 + random.nextInt(0xefff)),
                    random.nextInt(5) == 0 ? "" : Double.toString(random.nextGaussian() * 1e9)));
        }
        Collections.shuffle(lines, random);
        return Files.write(directory.resolve("sale.csv"), lines);
    }

    private static Dataset<Row> frame(Path csv) {
        return spark.read()
                .schema("id LONG, SHOP INT, price DECIMAL(9,2), name STRING, sold DATE, at TIMESTAMP,"
                        + " local TIMESTAMP_NTZ, ok BOOLEAN, raw STRING, weight DOUBLE")
                .option("timestampNTZFormat", "yyyy-MM-dd HH:mm:ss[.SSSSSS]")
                .csv(csv.toString())
                .withColumn("raw", functions.unhex(functions.substring(functions.col("raw"), 3, 100)))
                .repartition(5);
    }

    private DataFrameWriter<Row> writing(Dataset<Row> data) {
        return data.write()
                .format("sluice")
                .mode("errorifexists")
                .option("schema", DDL)
                .option("output", directory.resolve("set").toString());
    }

    private static DataFrameWriter<Row> inStore(DataFrameWriter<Row> writer, String output) {
        return writer.option("output", output)
                .option("s3-endpoint", objects.url())
                .option("s3-path-style", true);
    }

    private static SetPlace stored(String name) {
        return SetPlace.of("s3://sets/" + name, new S3Settings(URI.create(objects.url()), null, true));
    }

    /** The message of a write that is refused. */
    private static String refused(Executable write) {
        return String.valueOf(assertThrows(BadInputException.class, write).getMessage());
    }

    /** The digest of the set, ingested into a store. */
    private TableDigest ingested() throws Exception {
        try (Stream<Path> files = Files.list(directory.resolve("set"))) {
            return ingested(SetPlace.of(directory.resolve("set")), (int) files.count());
        }
    }

    private TableDigest ingested(SetPlace place, int files) throws Exception {
        StagedSet set = StagedSet.open(place);
        assertEquals(List.of(), set.problems(2));
        assertEquals(set.manifest().ssts().size() + 1, files, "nothing but SSTs and the manifest");
        Path store = directory.resolve("store-" + UUID.randomUUID());
        try (StorageNode node = StorageNode.open(store, NodeSettings.defaults())) {
            new StagedIngest(set, node, node.workDirectory(), 2, true, new ImportControl(), new ImportProgress()).run();
            return node.digest(set.manifest().target().table());
        }
    }

    private TableDigest imported(Path csv) throws Exception {
        return imported(csv, ConflictPolicy.ERROR);
    }

    /** The digest of an import of the CSV file. */
    private TableDigest imported(Path csv, ConflictPolicy policy) throws Exception {
        Path work = Files.createDirectories(directory.resolve("work"));
        ImportSettings settings = new ImportSettings(
                new InputFormat.Csv(
                        CsvDialect.DEFAULT,
                        List.of("id", "shop", "price", "name", "sold", "at", "local", "ok", "raw", "weight")),
                new ImportSettings.Resources(work, ImportSettings.MIN_MEMORY_BYTES, 2, 0),
                new ImportSettings.Rejects(RejectLimit.NONE, null),
                Mode.MERGE,
                policy,
                false,
                Verification.FULL,
                SstFormat.Writer.JAVA);
        try (StorageNode node = StorageNode.open(directory.resolve("imported"), NodeSettings.defaults())) {
            new ImportJob(
                            node,
                            Ddl.parse(DDL, "test").get(0),
                            InputFiles.resolve(List.of(csv.toString())),
                            settings,
                            new ImportProgress())
                    .run();
            return node.digest(Ddl.parse(DDL, "test").get(0).name());
        }
    }

    /** The same rows from CSV and from Parquet, in as many ranges as asked for, with attempts that fail. */
    @Test
    void digestIsThatOfAnImport() throws Exception {
        Path csv = csv();
        TableDigest expected = imported(csv);
        String parquet = directory.resolve("parquet").toString();
        frame(csv).write().parquet(parquet);
        // The first attempt of each task fails in its middle, after it has sent KVs.
        String key = UUID.randomUUID().toString();
        Dataset<Row> data = spark.read().parquet(parquet);
        Dataset<Row> failing = data.map(
                (MapFunction<Row, Row>) row -> {
                    if (row.getLong(0) % 1000 == 7 && TaskContext.get().attemptNumber() == 0) {
                        throw new IllegalStateException("attempt 0 of " + key);
                    }
                    return row;
                },
                Encoders.row(data.schema()));
        writing(failing).option("partitions", "7").save();
        assertEquals(expected.indexes(), ingested().indexes());
        inStore(writing(data).option("partitions", "5"), "s3a://sets/good").save();
        assertEquals(
                expected.indexes(),
                ingested(stored("good"), objects.names("sets", "good").size()).indexes());
        StagedManifest manifest =
                StagedSet.open(SetPlace.of(directory.resolve("set"))).manifest();
        assertTrue(manifest.ssts().size() >= 7, "there are " + manifest.ssts().size() + " SSTs");
    }

    /** Texts of few values are in a dictionary, others are not. */
    @Test
    void batchesOfAScanGiveTheTableOfAnImport() throws Exception {
        Path csv = csv();
        TableDigest expected = imported(csv);
        String parquet = directory.resolve("parquet").toString();
        spark.read()
                .schema("id LONG, shop SHORT, price STRING, name STRING, sold DATE, at TIMESTAMP, local TIMESTAMP_NTZ,"
                        + " ok STRING, raw STRING, weight DOUBLE")
                .option("timestampNTZFormat", "yyyy-MM-dd HH:mm:ss[.SSSSSS]")
                .csv(csv.toString())
                .coalesce(1)
                .write()
                .parquet(parquet);
        Dataset<Row> data = spark.read().parquet(parquet);
        CellColumns cells = CellColumns.of(data, Ddl.parse(DDL, "test").get(0));
        assertNotNull(FrameRows.batches(data, cells));
        assertNull(FrameRows.batches(data.filter("id >= 0"), cells));
        writing(data).save();
        assertEquals(expected.indexes(), ingested().indexes());
    }

    /** Spark's own text of them has a sign. */
    @Test
    void datesBeforeYear1AndAfter9999AreThoseOfAnImport() throws Exception {
        List<LocalDate> dates = List.of(LocalDate.of(-219, 9, 1), LocalDate.of(0, 1, 31), LocalDate.of(12_024, 2, 29));
        List<String> lines = new ArrayList<>();
        List<String> values = new ArrayList<>();
        for (LocalDate date : dates) {
            int id = lines.size();
            int year = date.getYear();
            String day = String.format(
                    Locale.ROOT,
                    "%04d-%02d-%02d",
                    year > 0 ? year : 1 - year,
                    date.getMonthValue(),
                    date.getDayOfMonth());
            String era = year > 0 ? "" : " BC";
            lines.add(id + ",1,,," + day + era + ",," + day + " 00:00:00" + era + ",,,");
            values.add("(" + id + "L, " + date.toEpochDay() + ")");
        }
        Dataset<Row> data = spark.sql("SELECT id, 1 AS shop, date_from_unix_date(day) AS sold,"
                + " CAST(date_from_unix_date(day) AS TIMESTAMP_NTZ) AS local FROM VALUES "
                + String.join(", ", values) + " AS t(id, day)");
        writing(data).save();
        TableDigest expected = imported(Files.write(directory.resolve("sale.csv"), lines));
        assertEquals(expected.indexes(), ingested().indexes());
    }

    /** A FLOAT widens, as one of a Parquet file does; its text would be 0.1. */
    @Test
    void floatsAreThoseOfAnImport() throws Exception {
        List<String> lines = new ArrayList<>();
        for (float weight : new float[] {0.1f, -0.0f, Float.NaN, Float.NEGATIVE_INFINITY, Float.MIN_VALUE, 16777216}) {
            lines.add(lines.size() + ",1,,,,,,,," + (double) weight);
        }
        writing(spark.sql(
                        "SELECT * FROM VALUES (0L, 1, 0.1f), (1L, 1, CAST('-0' AS FLOAT)), (2L, 1, CAST('NaN' AS FLOAT)),"
                                + " (3L, 1, CAST('-Infinity' AS FLOAT)), (4L, 1, CAST('1.4E-45' AS FLOAT)), (5L, 1, 16777216f)"
                                + " AS t(id, shop, weight)"))
                .save();
        TableDigest expected = imported(Files.write(directory.resolve("sale.csv"), lines));
        assertEquals(expected.indexes(), ingested().indexes());
    }

    @Test
    void numbersThatAFloatWouldChangeAreBadRows() {
        Dataset<Row> data = spark.sql("SELECT id, 1 AS shop, id + 9007199254740991 AS weight FROM range(4)");
        String message = refused(() -> writing(data).save());
        assertTrue(
                message.startsWith("1 row is no rows of the table:\ncolumn weight: out of range for FLOAT8"), message);
        assertTrue(
                message.contains("would be rounded; declare INT8 or DECIMAL; the value is '9007199254740993'"),
                message);
        String single = DDL.replace("FLOAT8", "FLOAT4");
        message = refused(() -> writing(spark.sql("SELECT id, 1 AS shop, id * 1e39D AS weight FROM range(2)"))
                .option("schema", single)
                .save());
        assertTrue(
                message.startsWith("1 row is no rows of the table:\ncolumn weight: out of range for FLOAT4"), message);
    }

    @Test
    void schemaMayBeInUtf16() throws Exception {
        Dataset<Row> data = spark.sql("SELECT 1L AS id, 1 AS shop");
        Path file = Files.write(directory.resolve("ddl.sql"), ("\ufeff" + DDL).getBytes(StandardCharsets.UTF_16LE));
        writing(data).option("schema", file.toString()).save();
        assertEquals(1, ingested().rows());
        Path other = directory.resolve("other.sql");
        assertTrue(
                refused(() -> writing(data).option("schema", other.toString()).save())
                        .startsWith("option schema '" + other + "': no such file"));
    }

    /** The set is handed over once: by the job, by its repetition, and not to a table that is there. */
    @Test
    void nodesHaveTheTableOfAnImportOnce() throws Exception {
        Path csv = csv();
        TableDigest expected = imported(csv);
        try (TestNode a = TestNode.start(directory.resolve("a"));
                TestNode b = TestNode.start(directory.resolve("b"))) {
            String nodes = a.url() + ", " + b.url();
            DataFrameWriter<Row> writer = writing(frame(csv)).option("nodes", nodes);
            writer.save();
            Supplier<TableDigest> there = () -> {
                NamedNodes named = new NamedNodes(List.of(a.url(), b.url()), RemoteSettings::of);
                try (NodeClient client = named.forImport(named.settings(), null, 10_000)) {
                    return client.digest("sale");
                }
            };
            assertEquals(expected.indexes(), there.get().indexes());
            assertEquals(ROWS, a.rows("sale") + b.rows("sale"));
            assertTrue(a.rows("sale") > 0 && b.rows("sale") > 0);
            String message = refused(writer::save);
            assertTrue(message.startsWith("table sale is on "), message);
            writing(frame(csv)).option("nodes", nodes).mode("ignore").save();
            assertEquals(expected.indexes(), there.get().indexes());
            message = refused(() -> writing(frame(csv))
                    .option("nodes", nodes)
                    .option("schema", DDL.replace("'none'", "'no'"))
                    .mode("ignore")
                    .save());
            assertTrue(message.contains("holds a staged set of another schema"), message);
        }
    }

    /** SSTs that are in the object store when a write fails, and those of attempts that end after it, are removed. */
    @Test
    void failedWriteLeavesNothingInAnObjectStore() throws Exception {
        Dataset<Row> data =
                spark.sql("SELECT * FROM VALUES (1L, 5, 'a'), (2L, 5, 'b'), (1L, 6, 'c') AS t(id, shop, name)");
        refused(() -> inStore(writing(data), "s3://sets/failed").save());
        assertEquals(List.of(), objects.names("sets", "failed"));
        TableDef table = Ddl.parse(DDL, "test").get(0);
        StagedBuild build = StagedBuild.open(
                stored("failed"),
                StagedManifest.Target.ofTable(DDL, List.of(table), table),
                "test",
                ConflictPolicy.ERROR,
                RejectLimit.NONE,
                List.of());
        SetPlace.Share share = build.share();
        build.close();
        Path local = share.directory("attempt-1", directory);
        SstTask late = new SstTask(Table.inNewStore(List.of(table), table), "late", share, local);
        byte[] key =
                new IndexKeys(Table.inNewStore(List.of(table), table)).span(0).start();
        byte[] block = new byte[SortBuffer.entryBytes(key.length, 0)];
        SortBuffer.putEntry(block, 0, key, 0, key.length, 0);
        assertThrows(
                OperationFailedException.class,
                () -> late.write(List.of(new Tuple2<>(key, block)).iterator()));
        assertEquals(List.of(), objects.names("sets", "failed"));
    }

    @Test
    void everyColumnThatDoesNotFitIsNamedBeforeAnyTaskRuns() {
        Dataset<Row> data = spark.sql(
                "SELECT raise_error('a task ran') AS id, true AS shop, map(1, 2) AS name, 1 AS colour, current_timestamp() AS local");
        String message = refused(() -> writing(data).save());
        assertEquals("""
                the DataFrame does not fit table sale:
                column id: VOID cannot fill INT8; cast it in the DataFrame, to a string if the text is what you want
                column shop: BOOLEAN cannot fill INT4; cast it in the DataFrame, to a string if the text is what you want
                column name: MAP<INT, INT> cannot fill STRING; cast it in the DataFrame, to a string if the text is what you want
                column colour: table sale has none of that name
                column local: TIMESTAMP cannot fill TIMESTAMP; it is a moment, for TIMESTAMPTZ: cast it to timestamp_ntz, or to string, in a time zone of your choice""", message);
        assertFalse(Files.exists(directory.resolve("set")));
    }

    @Test
    void tableInSeveralColumnFamiliesIsRefusedBeforeAnyTaskRuns() {
        Dataset<Row> data = spark.sql("SELECT raise_error('a task ran') AS id");
        String message = refused(() -> writing(data)
                .option("schema", "CREATE TABLE sale (id INT8 PRIMARY KEY, shop INT4, FAMILY (id), FAMILY (shop))")
                .save());
        assertTrue(message.contains("table sale has 2 column families"), message);
        assertTrue(message.contains("'sluice build'"), message);
        assertFalse(Files.exists(directory.resolve("set")));
    }

    @Test
    void badRowsAreNamedAndLeaveNoSet() {
        Dataset<Row> data = spark.sql("SELECT id, CAST(id * 1000000000 AS BIGINT) AS shop FROM range(10)");
        String message = refused(() -> writing(data).save());
        assertTrue(message.startsWith("7 rows are no rows of the table:\ncolumn shop: out of range for INT4"), message);
        assertTrue(message.contains("the value is '3000000000'"), message);
        assertFalse(Files.exists(directory.resolve("set/manifest.json")));
        assertThrows(
                BadInputException.class, () -> writing(spark.sql("SELECT id, CAST(NULL AS INT) AS shop FROM range(3)"))
                        .save());
    }

    @Test
    void repeatedRowsAreOneAndOthersWithTheirKeyAreAConflict() throws Exception {
        Path csv = Files.writeString(directory.resolve("sale.csv"), "1,5,,a,,,,,,\n2,5,,b,,,,,,\n");
        Dataset<Row> two =
                spark.sql("SELECT * FROM VALUES (1L, 5, 'a'), (2L, 5, 'b'), (1L, 5, 'a') AS t(id, shop, name)");
        String message =
                refused(() -> writing(two.union(spark.sql("SELECT 3L, 9, 'b'"))).save());
        assertTrue(message.startsWith("rows have equal keys and other values, 1 times:\nindex "), message);
        assertTrue(message.contains(", row 1"), message);
        assertFalse(Files.exists(directory.resolve("set/manifest.json")));
        writing(two.repartition(3)).save();
        assertEquals(imported(csv).indexes(), ingested().indexes());
        assertThrows(BadInputException.class, () -> writing(two).save(), "the set is there");
        writing(two).mode("ignore").save();
    }

    /** The order of rows is that of the DataFrame; each policy gives the table of an import in that order. */
    @Test
    void policiesChooseByTheOrderOfTheDataFrame() throws Exception {
        Path csv = Files.writeString(
                directory.resolve("sale.csv"),
                "3,7,,c,,,,,,\n1,5,,a,,,,,,\n2,5,,b,,,,,,\n1,6,,d,,,,,,\n4,1,,b,,,,,,\n");
        Dataset<Row> data = spark.sql("SELECT * FROM VALUES (1L, 5, 'a'), (1L, 6, 'd'), (2L, 5, 'b'), (3L, 7, 'c'),"
                        + " (4L, 1, 'b') AS t(id, shop, name)")
                .repartition(3)
                .orderBy(functions.expr("array_position(array('c', 'a', 'b', 'd'), name)"), functions.col("id"));
        writing(data).option("on-conflict", "last").save();
        assertEquals(imported(csv, ConflictPolicy.LAST).indexes(), ingested().indexes());
        String message =
                refused(() -> writing(data).option("on-conflict", "capture").save());
        assertTrue(message.contains("no records to keep"), message);
    }

    /** A set that nothing can ingest is no reason to end well. */
    @Test
    void setThatIsThereIsOneOfTheTable() throws Exception {
        Dataset<Row> data = spark.sql("SELECT 1L AS id, 1 AS shop");
        writing(data).save();
        for (String mode : List.of("ignore", "errorifexists")) {
            String message = refused(() -> writing(data)
                    .mode(mode)
                    .option("schema", DDL.replace("'none'", "'no'"))
                    .save());
            assertTrue(message.contains("holds a staged set of another schema"), message);
        }
        Path manifest = directory.resolve("set/manifest.json");
        Files.writeString(manifest, Files.readString(manifest).substring(0, 200));
        for (String mode : List.of("ignore", "errorifexists")) {
            String message = refused(() -> writing(data).mode(mode).save());
            assertTrue(message.contains("is cut: its end is missing"), message);
        }
    }

    @Test
    void noRowsMakeAnEmptyTable() throws Exception {
        writing(spark.sql("SELECT id, 1 AS shop FROM range(0)")).save();
        assertEquals(0, ingested().indexes().get(0).sum().count());
    }

    /** All rows share a long start of their keys: ranges are of keys, not of prefixes. */
    @Test
    void hotPrefixIsDivided() throws Exception {
        Dataset<Row> data = spark.sql(
                "SELECT concat(repeat('x', 200), lpad(CAST(id AS STRING), 9, '0')) AS k, repeat('v', 500) AS v FROM range(20000)");
        writing(data)
                .option("schema", "CREATE TABLE hot (k STRING PRIMARY KEY, v STRING)")
                .option("partitions", "8")
                .save();
        StagedManifest manifest =
                StagedSet.open(SetPlace.of(directory.resolve("set"))).manifest();
        long all = manifest.ssts().stream().mapToLong(StagedManifest.Sst::bytes).sum();
        assertEquals(8, manifest.ssts().size());
        manifest.ssts().forEach(sst -> assertTrue(sst.bytes() < 2 * all / 8, sst.bytes() + " of " + all + " bytes"));
    }

    /** Short texts in no index but the primary one are not sampled, and count as if each were as long as it can be. */
    @Test
    void shortTextsAreNotSampled() throws Exception {
        String ddl = "CREATE TABLE t (id INT8 PRIMARY KEY, code CHAR(8) NOT NULL, label VARCHAR(32) DEFAULT 'none',"
                + " word VARCHAR(33), item CHAR(8), kept CHAR(8), INDEX (item) STORING (kept))";
        Dataset<Row> data = spark.sql("SELECT lpad(CAST(id AS STRING), 8, '0') AS code, id,"
                + " repeat('l', 32) AS label, 'w' AS word, 'item' AS item, 'kept' AS kept FROM range(20000)");
        TableDef table = Ddl.parse(ddl, "test").get(0);
        CellColumns cells = CellColumns.of(data, table);
        assertArrayEquals(new int[] {1, 3, 4, 5}, cells.sampled(table));
        assertEquals(40, cells.unsampledLength(table));
        writing(data).option("schema", ddl).option("partitions", "8").save();
        StagedManifest manifest =
                StagedSet.open(SetPlace.of(directory.resolve("set"))).manifest();
        long all = manifest.ssts().stream().mapToLong(StagedManifest.Sst::bytes).sum();
        manifest.ssts().forEach(sst -> assertTrue(sst.bytes() < 2 * all / 8, sst.bytes() + " of " + all + " bytes"));
        assertEquals(20_000, ingested().indexes().get(0).sum().count());
        Path other = directory.resolve("other");
        writing(data.select("code"))
                .option("schema", "CREATE TABLE t (code CHAR(8))")
                .option("output", other.toString())
                .save();
        assertEquals(
                20_000,
                StagedSet.open(SetPlace.of(other))
                        .manifest()
                        .sums()
                        .get(0)
                        .sum()
                        .count());
    }

    /** One key that is larger than all others together: the log names it; a row of 32 MiB passes. */
    @Test
    void largeRowIsNamedAndPasses() throws Exception {
        Dataset<Row> data =
                spark.sql("SELECT id, CASE WHEN id = 77 THEN repeat('x', 33554432) ELSE repeat('v', 500) END AS v"
                        + " FROM range(20000)");
        String ddl = "CREATE TABLE t (id INT8 PRIMARY KEY, v STRING)";
        List<TableDef> tables = Ddl.parse(ddl, "test");
        List<String> skew = new StagedWrite(
                        ddl, tables, tables.get(0), SetPlace.of(directory.resolve("set")), 8, ConflictPolicy.ERROR)
                .run(data)
                .skew();
        assertEquals(1, skew.size(), skew.toString());
        assertTrue(skew.get(0).contains("its key ") && skew.get(0).contains("one key is not split"), skew.toString());
        assertEquals(20_000, ingested().indexes().get(0).sum().count());
    }

    /**
     * Many partitions of the input, most of them empty, make no SSTs and cost the driver little. The nightly run has
     * 100,000 of them.
     */
    @Test
    void emptyPartitionsMakeNoSsts() throws Exception {
        int partitions = Integer.getInteger("sluice.spark.partitions", 100);
        Dataset<Row> data = spark.sql(
                        "SELECT id, 1 AS shop, CAST(id AS STRING) AS name FROM range(0, 1000, 1, " + partitions + ")")
                .where("id % 97 = 5");
        writing(data).save();
        StagedSet set = StagedSet.open(SetPlace.of(directory.resolve("set")));
        assertEquals(11, ingested().indexes().get(0).sum().count());
        assertTrue(set.manifest().ssts().size() <= 6, set.manifest().ssts().size() + " SSTs of 11 rows");
    }

    @Test
    void optionsAreChecked() {
        Dataset<Row> data = spark.sql("SELECT 1L AS id, 1 AS shop");
        String message = refused(() -> data.write()
                .format("sluice")
                .mode("append")
                .option("output", "hdfs://host/set")
                .option("partition", "1")
                .option("s3-endpoint", "user@host")
                .option("s3-path-style", "yes")
                .option("partitions", "0")
                .option("replicas", "many")
                .option("token-file", "token")
                .save("set"));
        assertTrue(message.contains("unknown options [partition, path]"), message);
        assertTrue(message.contains("option schema is missing"), message);
        assertTrue(message.contains("a staged set is never changed"), message);
        assertTrue(message.contains("option output 'hdfs://host/set': name a directory"), message);
        assertTrue(message.contains("option s3-endpoint: give an address"), message);
        assertTrue(message.contains("option s3-path-style 'yes': must be true or false"), message);
        assertTrue(message.contains("option partitions '0': must be a whole number"), message);
        assertTrue(message.contains("option replicas 'many': must be a whole number"), message);
        assertTrue(message.contains("option token-file needs option nodes"), message);
        message = refused(
                () -> writing(data).mode("append").option("nodes", " , ").save());
        assertTrue(message.contains("option nodes: "), message);
        assertTrue(message.contains("a staged set is never changed"), message);
    }

    @Test
    void momentsHaveTheTextOfTimestamps() {
        assertEquals("1969-12-31 23:59:59.999999+00", text(-1));
        assertEquals("1970-01-01 00:00:00.000000", new String(CellReader.timestamp(0, ""), StandardCharsets.US_ASCII));
        assertEquals(
                "12024-01-01 00:00:00.000000+00",
                text(Instant.parse("+12024-01-01T00:00:00Z").getEpochSecond() * 1_000_000));
        assertEquals(
                "0001-12-31 00:00:00.000000+00 BC",
                text(Instant.parse("0000-12-31T00:00:00Z").getEpochSecond() * 1_000_000));
    }

    private static String text(long micros) {
        return new String(CellReader.timestamp(micros, "+00"), StandardCharsets.US_ASCII);
    }
}
