package io.sluice.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.TableDigest;
import io.sluice.importer.bundle.Bundle;
import io.sluice.importer.bundle.BundleSettings;
import io.sluice.importer.conflict.ConflictPolicy;
import io.sluice.importer.decode.CsvDialect;
import io.sluice.importer.decode.RejectLimit;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.decode.json.JsonMembers;
import io.sluice.importer.job.ImportControl;
import io.sluice.importer.job.ImportJob;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.ImportSettings;
import io.sluice.importer.job.Replay;
import io.sluice.importer.job.staged.SetPlace;
import io.sluice.importer.job.staged.StagedIngest;
import io.sluice.importer.job.staged.StagedSet;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.InputFiles;
import io.sluice.importer.source.remote.S3Settings;
import io.sluice.importer.sst.SstFormat;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.ImportPausedException;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.TableDef;
import io.sluice.node.NodeSettings;
import io.sluice.node.StorageNode;
import io.sluice.testing.ObjectStore;
import io.sluice.testing.SomeTests;
import io.sluice.tpcc.Tpcc;
import io.sluice.tpcc.TpccSize;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compares what {@code sluice-submit} makes of files with an import of the same files: table, rejects, messages. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
@SomeTests(3)
class SluiceSubmitTest {
    private static final String DDL =
            "CREATE TABLE sale (id INT8 PRIMARY KEY, shop INT4 NOT NULL, name STRING, UNIQUE (name), INDEX (shop))";
    private static final TableDef TABLE = Ddl.parse(DDL, "test").get(0);
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());
    private static final InputFormat CSV = new InputFormat.Csv(CsvDialect.DEFAULT, null);

    @TempDir
    Path directory;

    /** The exit code and the messages of a run of the program. */
    private record Run(int code, String err) {}

    @BeforeAll
    static void start() throws Exception {
        System.out.println("SluiceSubmitTest: seed " + SEED);
        SharedSpark.session();
        SharedSpark.objects();
    }

    private Run submit(String ddl, String output, List<Path> files, String... options) throws Exception {
        Path schema = Files.writeString(directory.resolve("schema.sql"), ddl);
        List<String> arguments = new ArrayList<>(List.of("--schema", schema.toString(), "--output", output));
        arguments.addAll(List.of(options));
        files.forEach(file -> arguments.add(file.toString()));
        PrintStream before = System.err;
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
        try {
            return new Run(SluiceSubmit.run(arguments.toArray(new String[0])), err.toString(StandardCharsets.UTF_8));
        } finally {
            System.setErr(before);
        }
    }

    private static ImportSettings settings(
            InputFormat format, Path work, String limit, ConflictPolicy policy, @Nullable Path bundle, boolean append) {
        return new ImportSettings(
                format,
                new ImportSettings.Resources(work, ImportSettings.MIN_MEMORY_BYTES, 2, 0),
                new ImportSettings.Rejects(
                        RejectLimit.parse(limit),
                        bundle == null ? null : new BundleSettings(bundle, DDL, "(unpackaged)")),
                ImportSettings.Mode.MERGE,
                policy,
                append,
                ImportSettings.Verification.SUMS,
                SstFormat.Writer.JAVA);
    }

    private static List<InputFile> inputs(List<Path> files) {
        return InputFiles.resolve(files.stream().map(Path::toString).toList());
    }

    /** The digest of an import. */
    private TableDigest imported(
            TableDef table,
            InputFormat format,
            List<Path> files,
            String limit,
            ConflictPolicy policy,
            @Nullable Path bundle)
            throws Exception {
        Path store = Files.createTempDirectory(directory, "store");
        try (StorageNode node = StorageNode.open(store, NodeSettings.defaults())) {
            new ImportJob(
                            node,
                            table,
                            inputs(files),
                            settings(format, node.workDirectory(), limit, policy, bundle, false),
                            new ImportProgress())
                    .run();
            return node.digest(table.name());
        }
    }

    private static void ingest(SetPlace place, StorageNode node) throws Exception {
        StagedSet set = StagedSet.open(place);
        assertEquals(List.of(), set.problems(2));
        new StagedIngest(set, node, node.workDirectory(), 2, true, new ImportControl(), new ImportProgress()).run();
    }

    private TableDigest ingested(SetPlace place, String table) throws Exception {
        Path store = Files.createTempDirectory(directory, "store");
        try (StorageNode node = StorageNode.open(store, NodeSettings.defaults())) {
            ingest(place, node);
            return node.digest(table);
        }
    }

    /** The files of a bundle but its manifest, and what that says of the outcome. */
    private static Map<String, String> content(Path bundle) throws Exception {
        Map<String, String> content = new TreeMap<>();
        try (Stream<Path> files = Files.list(bundle)) {
            for (Path file : files.toList()) {
                content.put(String.valueOf(file.getFileName()), Files.readString(file));
            }
        }
        return content;
    }

    /** TPC-C's customers in three files, of which one is compressed, into a directory and an object store. */
    @Test
    void filesGiveTheTableOfAnImport() throws Exception {
        ByteArrayOutputStream rows = new ByteArrayOutputStream();
        Tpcc.CUSTOMER.write(TpccSize.of(1, 0.1), 1, true, null, 2, rows);
        List<String> lines = rows.toString(StandardCharsets.UTF_8).lines().toList();
        int third = lines.size() / 3;
        List<Path> files = List.of(
                Files.write(directory.resolve("a.csv"), lines.subList(0, third)),
                directory.resolve("b.csv.gz"),
                Files.write(directory.resolve("c.csv"), lines.subList(2 * third, lines.size())));
        try (var out = new java.util.zip.GZIPOutputStream(Files.newOutputStream(files.get(1)))) {
            out.write((String.join("\n", lines.subList(third, 2 * third)) + "\n").getBytes(StandardCharsets.UTF_8));
        }
        TableDef table = Tpcc.CUSTOMER.tableDef();
        TableDigest expected = imported(table, CSV, files, "0", ConflictPolicy.ERROR, null);
        Path set = directory.resolve("set");
        String ddl = Tpcc.CUSTOMER.ddl();
        Run run = submit(ddl, set.toString(), files, "--partitions", "3");
        assertEquals(0, run.code, run.err);
        assertEquals(
                expected.indexes(), ingested(SetPlace.of(set), table.name()).indexes());
        assertEquals(0, submit(ddl, set.toString(), files).code, "the set is there and stays");
        ObjectStore objects = SharedSpark.objects();
        for (Path file : files) {
            objects.put("input", String.valueOf(file.getFileName()), Files.readAllBytes(file));
        }
        List<String> s3 = new ArrayList<>(objects.options());
        s3.add("s3://input/*");
        run = submit(ddl, "s3://sets/files", List.of(), s3.toArray(new String[0]));
        assertEquals(0, run.code, run.err);
        SetPlace stored = SetPlace.of("s3://sets/files", new S3Settings(URI.create(objects.url()), null, true));
        assertEquals(expected.indexes(), ingested(stored, table.name()).indexes());
    }

    /** The bundle is that of an import, byte for byte, and a repaired row comes in by a replay. */
    @Test
    void rejectsAreOneBundleWhichReplays() throws Exception {
        List<Path> files = List.of(
                Files.writeString(directory.resolve("a.csv"), "1,5,a\n\"2\",x,\"b\nc\"\n3,5,c\n"),
                Files.writeString(directory.resolve("b.csv"), "4,5,d\n5,5,e\n"),
                Files.writeString(directory.resolve("c.csv"), "6,5,f\n\n7,,g\n8\n9,5,h"));
        Path set = directory.resolve("set");
        Path bundle = directory.resolve("rejects");
        Run run = submit(DDL, set.toString(), files, "--max-rejects", "3", "--rejects", bundle.toString());
        assertEquals(3, run.code, run.err);
        run = submit(DDL, set.toString(), files, "--max-rejects", "3");
        assertEquals(3, run.code, run.err);
        assertEquals(2, submit(DDL, set.toString(), files).code, "the set has rejects");
        Path other = directory.resolve("other");
        TableDigest expected = imported(TABLE, CSV, files, "3", ConflictPolicy.ERROR, other);
        assertEquals(content(other), content(bundle));
        try (StorageNode node = StorageNode.open(directory.resolve("store"), NodeSettings.defaults())) {
            ingest(SetPlace.of(set), node);
            assertEquals(expected.indexes(), node.digest("sale").indexes());
            Path data = bundle.resolve("rejects.csv");
            Files.writeString(data, Files.readString(data).replace(",x,", ",5,").replace("7,,g\n8\n", "7,5,g\n"));
            Replay replay = Replay.of(Bundle.open(bundle), Bundle.open(bundle).inputs());
            replay.requireTable(node);
            new ImportJob(
                            node,
                            TABLE,
                            replay.inputs(),
                            settings(
                                    replay.bundle().format(),
                                    node.workDirectory(),
                                    "0",
                                    ConflictPolicy.ERROR,
                                    null,
                                    true),
                            new ImportProgress())
                    .run();
            assertEquals(8, node.digest("sale").indexes().get(0).sum().count());
        }
    }

    /** An interrupted hand-over is resumed by the same job, and the exit code says so. */
    @Test
    void exitCodesAreThoseOfTheCommandLine() {
        assertEquals(4, SluiceSubmit.exitCode(ImportPausedException.onRequest("paused", false)));
        assertEquals(2, SluiceSubmit.exitCode(new BadInputException("bad")));
        assertEquals(1, SluiceSubmit.exitCode(new IllegalStateException()));
    }

    @Test
    void optionsAreChecked() throws Exception {
        Run run = submit(
                DDL,
                directory.resolve("set").toString(),
                List.of(directory.resolve("none.csv")),
                "--partitions",
                "0",
                "--token-file",
                "token");
        assertEquals(2, run.code(), run.err());
        assertTrue(run.err().contains("--partitions 0: must be from 1 to"), run.err());
        assertTrue(run.err().contains("--token-file needs --nodes"), run.err());
    }

    /** The limit holds over all files; what is above it leaves no set, and the first bad row is named. */
    @Test
    void moreRejectsThanAllowedLeaveNothing() throws Exception {
        List<Path> files = List.of(
                Files.writeString(directory.resolve("a.csv"), "1,5,a\n2,5,b\n"),
                Files.writeString(directory.resolve("b.csv"), "3,5,c\n4,99999999999,d\n"),
                Files.writeString(directory.resolve("c.csv"), "5,5,e\nx,5,f\n"));
        Path set = directory.resolve("set");
        Path bundle = directory.resolve("rejects");
        Run run = submit(DDL, set.toString(), files, "--max-rejects", "1", "--rejects", bundle.toString());
        assertEquals(2, run.code, run.err);
        assertTrue(run.err.contains("b.csv, line 2 (byte 6), column shop: out of range"), run.err);
        assertTrue(run.err.contains("more than the 1 rejects"), run.err);
        assertTrue(Files.readString(bundle.resolve("manifest.json")).contains("failed"));
        assertEquals(2, Files.readAllLines(bundle.resolve("rejects.csv")).size());
        assertFalse(Files.exists(set.resolve("manifest.json")));
        assertEquals(2, submit(DDL, set.toString(), files).code);
        run = submit(DDL, set.toString(), List.of(files.get(0), directory.resolve("none.csv")), "--delimiter", "::");
        assertEquals(2, run.code);
        assertTrue(run.err.contains("none.csv: no such file"), run.err);
    }

    /** Random rows with few keys: each policy leaves the rows and the bundle of an import. */
    @Test
    void policiesChooseAsAnImportDoes() throws Exception {
        Random random = new Random(SEED);
        List<Path> files = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            List<String> lines = new ArrayList<>();
            for (int row = 0; row < 300; row++) {
                lines.add(random.nextInt(900) + "," + random.nextInt(3) + ",n" + random.nextInt(900));
            }
            files.add(Files.write(directory.resolve(i + ".csv"), lines));
        }
        for (ConflictPolicy policy : List.of(ConflictPolicy.LAST, ConflictPolicy.CAPTURE)) {
            Path set = directory.resolve("set-" + policy);
            Path bundle = directory.resolve("bundle-" + policy);
            Path other = directory.resolve("other-" + policy);
            TableDigest expected = imported(TABLE, CSV, files, "0", policy, other);
            Run run =
                    submit(DDL, set.toString(), files, "--on-conflict", policy.label(), "--rejects", bundle.toString());
            assertEquals(policy == ConflictPolicy.CAPTURE ? 3 : 0, run.code, run.err);
            String where = policy + ", seed " + SEED;
            assertEquals(expected.indexes(), ingested(SetPlace.of(set), "sale").indexes(), where);
            assertEquals(content(other), content(bundle), where);
        }
        Run run = submit(DDL, directory.resolve("set").toString(), files);
        assertEquals(2, run.code);
        assertTrue(run.err.contains("0.csv, line ") && run.err.contains("--on-conflict first"), run.err);
    }

    /** A table without a primary key: rows are numbered as by an import, also those after one that is left out. */
    @Test
    void formatsGiveTheTableOfAnImport() throws Exception {
        String ddl = "CREATE TABLE t (name STRING, n INT8, UNIQUE (name))";
        TableDef table = Ddl.parse(ddl, "test").get(0);
        Path csv = Files.writeString(directory.resolve("a.txt"), "name|n\nx|1\ny|2\nx|3\nz|4\n");
        Path second = Files.writeString(directory.resolve("b.txt"), "n|name\n5|y\n6|w\n");
        CsvDialect piped = CsvDialect.DEFAULT.withDelimiter("|").with(new CsvDialect.Records(true, 0, 0));
        compare(ddl, table, new InputFormat.Csv(piped, null), List.of(csv, second), "--delimiter", "|", "--header");
        Path json = Files.writeString(
                directory.resolve("a.jsonl"), "{\"name\":\"x\",\"n\":1}\n{\"n\":2,\"name\":\"x\"}\n{\"name\":\"y\"}\n");
        compare(ddl, table, new InputFormat.Json(false, JsonMembers.BY_NAME), List.of(json));
        String parquet = directory.resolve("parquet").toString();
        SharedSpark.session()
                .sql("SELECT concat('n', id % 90) AS name, id AS n FROM range(0, 100, 1, 1)")
                .write()
                .parquet(parquet);
        try (Stream<Path> written = Files.list(Path.of(parquet))) {
            compare(
                    ddl,
                    table,
                    InputFormat.Avro.containers(false),
                    written.filter(file -> file.toString().endsWith(".parquet")).toList());
        }
        Path avro = directory.resolve("item.avro");
        try (var out = Files.newOutputStream(avro)) {
            Tpcc.ITEM.write(TpccSize.of(1, 0.01), 1, false, "deflate", 2, out);
        }
        compare(Tpcc.ITEM.ddl(), Tpcc.ITEM.tableDef(), InputFormat.Avro.containers(false), List.of(avro));
    }

    private void compare(String ddl, TableDef table, InputFormat format, List<Path> files, String... options)
            throws Exception {
        Path set = Files.createTempDirectory(directory, "set");
        List<String> given = new ArrayList<>(Arrays.asList(options));
        given.addAll(List.of("--on-conflict", "first"));
        Run run = submit(ddl, set.toString(), files, given.toArray(new String[0]));
        assertEquals(0, run.code, run.err);
        assertEquals(
                imported(table, format, files, "0", ConflictPolicy.FIRST, null).indexes(),
                ingested(SetPlace.of(set), table.name()).indexes(),
                files.toString());
    }
}
