package io.sluice.it.imports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.support.SluiceProcess;
import io.sluice.it.support.SluiceProcess.Result;
import io.sluice.it.support.Stock;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** JSON lines and arrays through the program: the same table as from CSV, rejects, replay, a proposed schema. */
@SuppressWarnings("NullAway.Init") // JUnit and the set-up set the fields
class JsonImportIT {
    private static final int ROWS = 20_000;

    @TempDir
    Path directory;

    private Path schema;
    private int stores;

    @BeforeEach
    void write() throws IOException {
        schema = Files.writeString(directory.resolve("stock.sql"), Stock.SQL);
    }

    private String digest(Path input) throws IOException {
        String store = directory.resolve("store" + ++stores).toString();
        Result result = SluiceProcess.call(
                "import",
                "--json",
                "--schema",
                schema.toString(),
                "--store",
                store,
                "--memory",
                "64m",
                input.toString());
        assertEquals(0, result.exitCode(), result.toString());
        assertEquals(ROWS, result.report().get("rowsImported").asInt(), result.toString());
        return result.report().get("digest").asText();
    }

    /** A row of {@link Stock} as an object, with its members in any order. */
    private static String object(int n, String space, Random random) {
        String[] fields = Stock.line(n).split(",", 5);
        String[] names = {"warehouse", "item", "quantity", "code", "note"};
        List<String> members = new ArrayList<>();
        for (int i = 0; i < names.length; i++) {
            String value = i == 3 ? "\"" + fields[i] + "\"" : fields[i];
            members.add("\"" + names[i] + "\":" + space + value);
        }
        if (n % 10 == 0) {
            Collections.shuffle(members, random);
        }
        return "{" + space + String.join("," + space, members) + space + "}";
    }

    @Test
    void theSameRowsAsCsvLinesAndArrayAreTheSameTable() throws Exception {
        Random random = new Random(1);
        List<String> lines = new ArrayList<>();
        StringBuilder array = new StringBuilder("[\n");
        for (int i = 0; i < ROWS; i++) {
            lines.add(object(i, "", random));
            array.append(i == 0 ? "" : ",\n").append(object(i, "\n  ", random));
        }
        Path compressed = directory.resolve("rows.jsonl.gz");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(compressed))) {
            out.write(String.join("\n", lines).getBytes(StandardCharsets.UTF_8));
        }
        String expected = digest(Stock.write(directory.resolve("rows.csv"), Stock.numbers(ROWS)));
        assertEquals(expected, digest(compressed));
        assertEquals(expected, digest(Files.writeString(directory.resolve("rows.json"), array.append("\n]\n"))));
        assertEquals(expected, digest(Files.write(directory.resolve("found by its first line"), lines)));
    }

    @Test
    void rejectsAreRepairedAndReplayed() throws Exception {
        Path small = Files.writeString(directory.resolve("t.sql"), "CREATE TABLE t (id INT8 PRIMARY KEY, s STRING)");
        Path input = Files.writeString(
                directory.resolve("t.json"), "[{\"id\":1},\n{\"id\":\n\"x\",\"s\":{\"k\": [1]}},\n{\"id\":3}]");
        String store = directory.resolve("store").toString();
        Path bundle = directory.resolve("bundle");
        Result imported = SluiceProcess.call(
                "import",
                "--schema",
                small.toString(),
                "--store",
                store,
                "--max-rejects",
                "1",
                "--rejects",
                bundle.toString(),
                input.toString());
        assertEquals(3, imported.exitCode(), imported.toString());
        assertTrue(
                Files.readString(bundle.resolve("rejects.jsonl")).contains("\"line\":2,\"byte\":11,\"column\":\"id\""),
                Files.readString(bundle.resolve("rejects.jsonl")));
        Path data = bundle.resolve("rejects.ndjson");
        assertEquals("{\"id\":\t\"x\",\"s\":{\"k\": [1]}}\n", Files.readString(data));
        Files.writeString(data, Files.readString(data).replace("\"x\"", "2"));
        Result replayed = SluiceProcess.call("replay", bundle.toString(), "--store", store);
        assertEquals(0, replayed.exitCode(), replayed.toString());
        Result row = SluiceProcess.call("scan", "t", "--store", store);
        assertTrue(row.out().contains("{\"\"k\"\": [1]}"), row.toString());
        assertEquals(3, row.out().lines().count(), row.toString());
    }

    @Test
    void inferredTableTakesTheFile() throws Exception {
        Path input = Files.writeString(directory.resolve("orders.ndjson"), """
                {"_id":{"$oid":"5f"},"n":1,"price":2.50,"at":"2024-01-02","ok":true,"zip":"007"}
                {"_id":{"$oid":"60"},"n":2,"price":3,"at":"2024-01-03","ok":null,"zip":"8"}
                """);
        Result inferred = SluiceProcess.call("schema", "infer", input.toString());
        assertEquals(0, inferred.exitCode(), inferred.toString());
        String ddl =
                inferred.out().replaceAll(" *--.*", "").replaceAll("\\s+", " ").strip();
        assertEquals(
                "CREATE TABLE orders ( _id JSONB NOT NULL, n INT8 NOT NULL, price DECIMAL NOT NULL,"
                        + " at DATE NOT NULL, ok BOOL, zip STRING NOT NULL );",
                ddl);
        Path made = Files.writeString(directory.resolve("orders.sql"), inferred.out());
        String store = directory.resolve("store").toString();
        assertEquals(
                0,
                SluiceProcess.call("import", "--schema", made.toString(), "--store", store, input.toString())
                        .exitCode());
        Result refused = SluiceProcess.call(
                "import", "--schema", made.toString(), "--store", store, "--header", input.toString());
        assertEquals(2, refused.exitCode());
        assertTrue(refused.err().contains("--header is given, but the input is JSON"), refused.toString());
    }
}
