package io.sluice.it.imports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.github.luben.zstd.ZstdOutputStream;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.sluice.it.support.SluiceProcess;
import io.sluice.it.support.SluiceProcess.Result;
import io.sluice.it.support.Stock;
import io.sluice.it.support.StockParquet;
import io.sluice.testing.ObjectStore;
import io.sluice.testing.SomeTests;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import net.jpountz.lz4.LZ4FrameOutputStream;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.XZOutputStream;
import org.xerial.snappy.SnappyFramedOutputStream;

/** The same rows from every kind of source are the same table; sources that are no good leave no store and no trace. */
@SuppressWarnings("NullAway.Init") // JUnit and the set-up set the fields
@SomeTests(3)
class SourcesIT {
    private static final int ROWS = 20_000;
    private static final int CHUNK_BYTES = 1 << 20;

    @TempDir
    Path directory;

    private Path schema;
    private byte[] rows;
    private int stores;

    private interface Compressor {
        OutputStream over(OutputStream out) throws IOException;
    }

    @BeforeEach
    void write() throws IOException {
        schema = Files.writeString(directory.resolve("stock.sql"), Stock.SQL);
        rows = text(0, ROWS);
    }

    private static byte[] text(int from, int to) {
        StringBuilder text = new StringBuilder();
        for (int i = from; i < to; i++) {
            text.append(Stock.line(i)).append('\n');
        }
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] compressed(Compressor compressor, byte[] plain) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream out = compressor.over(bytes)) {
            out.write(plain);
        }
        return bytes.toByteArray();
    }

    private Path file(String name, byte[] bytes) throws IOException {
        Path file = directory.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.write(file, bytes);
    }

    private Path store() {
        return directory.resolve("store" + ++stores);
    }

    /** An import of its own; in this process if it needs neither options of the JVM nor standard input. */
    private Result run(Path store, List<String> jvm, List<String> options, byte[] input, String... sources)
            throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(List.of("import", "--json", "--schema", schema.toString()));
        arguments.addAll(List.of("--store", store.toString(), "--memory", "64m"));
        arguments.addAll(options);
        arguments.addAll(Arrays.asList(sources));
        if (jvm.isEmpty() && input.length == 0) {
            return SluiceProcess.call(arguments.toArray(new String[0]));
        }
        SluiceProcess process = SluiceProcess.start(directory, jvm, arguments.toArray(new String[0]));
        try (OutputStream in = process.standardInput()) {
            in.write(input);
        }
        return process.await();
    }

    private String digest(List<String> jvm, List<String> options, byte[] input, String... sources)
            throws IOException, InterruptedException {
        Result result = run(store(), jvm, options, input, sources);
        assertEquals(0, result.exitCode(), String.join(" ", sources) + ": " + result);
        assertEquals(ROWS, result.report().get("rowsImported").asInt(), result.toString());
        return result.report().get("digest").asText();
    }

    private String digest(String... sources) throws IOException, InterruptedException {
        return digest(List.of(), List.of(), new byte[0], sources);
    }

    private HttpServer serve() throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            try (exchange) {
                answer(exchange);
            }
        });
        server.start();
        return server;
    }

    private void answer(HttpExchange exchange) throws IOException {
        Path file = directory.resolve(exchange.getRequestURI().getPath().substring(1));
        if (!Files.exists(file)) {
            exchange.sendResponseHeaders(404, -1);
            return;
        }
        exchange.getResponseHeaders().set("ETag", "\"1\"");
        String range = exchange.getRequestHeaders().getFirst("Range");
        if (range == null) {
            exchange.sendResponseHeaders(200, Files.size(file));
            Files.copy(file, exchange.getResponseBody());
            return;
        }
        String[] ends = range.substring("bytes=".length()).split("-", -1);
        byte[] bytes = Files.readAllBytes(file);
        int from = Integer.parseInt(ends[0]);
        int to = ends[1].isEmpty() ? bytes.length : Integer.parseInt(ends[1]) + 1;
        exchange.getResponseHeaders().set("Content-Range", "bytes " + from + "-" + (to - 1) + "/" + bytes.length);
        exchange.sendResponseHeaders(206, to - from);
        exchange.getResponseBody().write(bytes, from, to - from);
    }

    @Test
    void theSameRowsFromEveryFileAreTheSameTable() throws Exception {
        String expected = digest(file("rows.csv", rows).toString());
        assertEquals(
                expected,
                digest(file("rows.gz", compressed(GZIPOutputStream::new, rows)).toString()));
        assertEquals(
                expected,
                digest(file("rows.zst", compressed(ZstdOutputStream::new, rows)).toString()));
        // Without suffixes: what the files begin with is enough.
        assertEquals(
                expected,
                digest(file("b", compressed(BZip2CompressorOutputStream::new, rows))
                        .toString()));
        assertEquals(
                expected,
                digest(file("x", compressed(out -> new XZOutputStream(out, new LZMA2Options(1)), rows))
                        .toString()));
        assertEquals(
                expected,
                digest(file("s", compressed(SnappyFramedOutputStream::new, rows))
                        .toString()));
        assertEquals(
                expected,
                digest(file("l", compressed(LZ4FrameOutputStream::new, rows)).toString()));
        String latin = new String(rows, StandardCharsets.UTF_8);
        assertEquals(
                expected,
                digest(file("w", ("\ufeff" + latin).getBytes(StandardCharsets.UTF_16LE))
                        .toString()));
    }

    @Test
    void theSameRowsFromManyPlacesAreTheSameTable() throws Exception {
        String expected = digest(file("rows.csv", rows).toString());
        byte[] zipped = compressed(GZIPOutputStream::new, rows);
        assertEquals(expected, digest(List.of(), List.of(), rows, "-"));
        assertEquals(expected, digest(List.of(), List.of(), zipped, "-"));
        int parts = 7;
        for (int i = 0; i < parts; i++) {
            byte[] part = text(i * ROWS / parts, (i + 1) * ROWS / parts);
            file("parts/" + i + ".csv.gz", compressed(GZIPOutputStream::new, part));
        }
        assertEquals(expected, digest(directory + "/parts/*.gz"));
        file("rows.csv.gz", zipped);
        HttpServer http = serve();
        try (ObjectStore objects = new ObjectStore(Files.createDirectory(directory.resolve("objects")))) {
            String web = "http://127.0.0.1:" + http.getAddress().getPort() + "/";
            assertEquals(expected, digest(web + "rows.csv"));
            assertEquals(expected, digest(web + "rows.csv.gz"));
            for (int i = 0; i < parts; i++) {
                objects.put(
                        "bucket",
                        "dir/" + i + ".csv.gz",
                        Files.readAllBytes(directory.resolve("parts/" + i + ".csv.gz")));
            }
            objects.put("bucket", "other/rows.csv", rows);
            Path parquet = StockParquet.write(directory.resolve("rows.parquet"), Stock.numbers(ROWS), 5, 0);
            assertEquals(expected, digest(web + "rows.parquet"));
            objects.put("bucket", "lake/a.parquet", Files.readAllBytes(parquet));
            List<String> credentials = ObjectStore.credentials();
            for (String address : List.of(
                    "s3://bucket/other/rows.csv",
                    "s3://bucket/dir/",
                    "s3://bucket/d*/[0-9].csv.gz",
                    "s3://bucket/lake/*.parquet")) {
                assertEquals(expected, digest(credentials, objects.options(), new byte[0], address), address);
            }
            Path store = store();
            Result result = run(
                    store,
                    ObjectStore.credentials("wr0ng"),
                    objects.options(),
                    new byte[0],
                    "s3://bucket/other/rows.csv",
                    web + "nothing.csv");
            assertRefused(result, store, "refuses these credentials (403)", "nothing.csv: the server answers 404");
            assertFalse(result.toString().contains("wr0ng"), result.toString());
            Result missing = run(
                    store, credentials, objects.options(), new byte[0], "s3://bucket/nothing.csv", "s3://bucket/x/*");
            assertRefused(missing, store, "nothing.csv: there is no such object", "x/*: no object matches");
        } finally {
            http.stop(0);
        }
    }

    @Test
    void allInputsAreCheckedBeforeThereIsAStore() throws Exception {
        String good = file("good.csv", rows).toString();
        String tabs = file(
                        "tabs.csv",
                        new String(rows, StandardCharsets.UTF_8)
                                .replace(',', '\t')
                                .getBytes(StandardCharsets.UTF_8))
                .toString();
        String cut = file("cut.csv.gz", Arrays.copyOf(compressed(GZIPOutputStream::new, rows), 100))
                .toString();
        String fake = file("fake.csv.zst", rows).toString();
        Path store = store();
        Result result = run(store, List.of(), List.of(), new byte[0], good, tabs, cut, fake);
        assertRefused(
                result,
                store,
                "tabs.csv, line 1 (byte 0): the record has 1 field, expected 5",
                "none of the first",
                "cut.csv.gz: the gzip data is",
                "fake.csv.zst: named as a zstd file");
    }

    /** It is no misfit as long as the import puts up with it. */
    @Test
    void rejectsThatAreAllowedDoNotFailTheCheck() throws Exception {
        String good = file("good.csv", rows).toString();
        String bad =
                file("bad.csv", "1\n2\n3\n".getBytes(StandardCharsets.UTF_8)).toString();
        Result result = run(
                store(),
                List.of(),
                List.of("--max-rejects", "3", "--rejects", directory + "/rejects"),
                new byte[0],
                good,
                bad);
        assertEquals(3, result.exitCode(), result.toString());
        assertEquals(3, result.report().get("rowsRejected").asInt(), result.toString());
    }

    @Test
    void damageLateInTheInputLeavesNoStore() throws Exception {
        byte[] zipped = compressed(GZIPOutputStream::new, rows);
        String cut =
                file("cut.csv.gz", Arrays.copyOf(zipped, zipped.length - 5)).toString();
        Path store = store();
        assertRefused(
                run(store, List.of(), List.of(), new byte[0], cut),
                store,
                "cut.csv.gz: the gzip data is",
                "byte " + (zipped.length - 5));
    }

    /**
     * 512 MiB in one line are half a megabyte of gzip: one reject, or what --max-rejects makes of it, in little memory.
     */
    @Test
    void aBombOfOneLineIsOneReject() throws Exception {
        Path bomb = directory.resolve("bomb.csv.gz");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(bomb))) {
            out.write(text(0, 1));
            byte[] chunk = new byte[CHUNK_BYTES];
            Arrays.fill(chunk, (byte) 'x');
            for (int i = 0; i < 512; i++) {
                out.write(chunk);
            }
            out.write('\n');
            out.write(text(1, 2));
        }
        Result result = run(
                store(),
                List.of("-Xmx160m"),
                List.of("--max-rejects", "1", "--rejects", directory + "/rejects"),
                new byte[0],
                bomb.toString());
        assertEquals(3, result.exitCode(), result.toString());
        assertEquals(2, result.report().get("rowsImported").asInt(), result.toString());
        assertEquals(1, result.report().get("rowsRejected").asInt(), result.toString());
    }

    @Test
    void tenMillionEmptyLinesAreNoRows() throws Exception {
        Path empty = directory.resolve("empty.csv.gz");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(empty))) {
            byte[] lines = new byte[10_000_000];
            Arrays.fill(lines, (byte) '\n');
            out.write(text(0, 1));
            out.write(lines);
            out.write(Stock.line(1).replaceFirst(",", ",x").getBytes(StandardCharsets.UTF_8));
        }
        Path store = store();
        assertRefused(
                run(store, List.of(), List.of(), new byte[0], empty.toString()),
                store,
                "empty.csv.gz, line 10000002 (byte ");
    }

    private static void assertRefused(Result result, Path store, String... said) {
        assertEquals(2, result.exitCode(), result.toString());
        assertTrue(result.out().isEmpty(), result.toString());
        assertFalse(result.err().contains("\tat "), result.toString());
        for (String part : said) {
            assertTrue(result.err().contains(part), "'" + part + "' is not in " + result);
        }
        assertFalse(Files.exists(store), "a store was made: " + result);
    }
}
