package io.sluice.cli.imports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.cli.Sluice;
import io.sluice.cli.node.LocalNodes;
import io.sluice.cli.output.Console;
import io.sluice.node.ingest.FaultPoints;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests imports of several tables in one run, and imports without a schema file. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class SeveralTablesTest {
    private static final String DUMP = """
            CREATE TABLE item (id INT8 PRIMARY KEY, area INT8 REFERENCES "Area" (id), name STRING);
            CREATE TABLE "Area" (id INT8 PRIMARY KEY, name STRING);
            CREATE TABLE empty (id INT8 PRIMARY KEY);
            """;

    @TempDir
    Path directory;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @BeforeEach
    void writeInputs() throws IOException {
        write("dump.sql", DUMP);
        write("data/item-0001.csv", "1,7,hat\n2,7,cap\n");
        write("data/item-0002.csv", "3,8,fez\n");
        write("data/public.area.csv", "7,Ulm\n8,Bonn\n");
    }

    private void write(String name, String text) throws IOException {
        Path file = directory.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private String path(String name) {
        return directory.resolve(name).toString();
    }

    private int run(String... arguments) {
        out.reset();
        err.reset();
        Console console = new Console(out, new PrintStream(err, true, StandardCharsets.UTF_8), false);
        return Sluice.execute(Sluice.commands(new LocalNodes(console, FaultPoints.none()), console), arguments);
    }

    private int importing(String... more) {
        List<String> arguments = new ArrayList<>(List.of("import", "--store", path("store")));
        arguments.addAll(List.of(more));
        return run(arguments.toArray(new String[0]));
    }

    private String err() {
        return err.toString(StandardCharsets.UTF_8);
    }

    private String out() {
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void filesGoIntoTheTablesWithTheirNames() throws IOException {
        assertEquals(0, importing("--schema", path("dump.sql"), "--json", path("data")), this::err);
        JsonNode report = new ObjectMapper().readTree(out());
        assertEquals("Area", report.path("tables").path(0).path("table").asText(), "the referenced table comes first");
        assertEquals("item", report.path("tables").path(1).path("table").asText());
        assertEquals(2, report.path("tables").size());
        assertEquals(5, report.path("rowsImported").asInt());
        assertEquals(0, run("get", "item", "3", "--store", path("store")));
        assertEquals("id   = 3\narea = 8\nname = fez\n", out());
        assertEquals(0, run("get", "Area", "8", "--store", path("store")));
        assertEquals("id   = 8\nname = Bonn\n", out());
    }

    @Test
    void nothingIsImportedIfOneFileIsBad() throws IOException {
        write("data/item-0002.csv", "x,8,fez\n");
        assertEquals(2, importing("--schema", path("dump.sql"), path("data")));
        assertTrue(err().contains("item-0002.csv, line 1"), this::err);
        assertFalse(Files.exists(directory.resolve("store")));
    }

    @Test
    void whatADirectoryHasBesideItsFilesIsNamed() throws IOException {
        write("data/old/item-0000.csv", "0,7,cap\n");
        write("data/.hidden/item.csv", "9,7,cap\n");
        Files.createSymbolicLink(directory.resolve("data/item-0003.csv"), directory.resolve("gone.csv"));
        String line = "input: passed over in " + path("data") + ": item-0003.csv, old/; name their files as "
                + path("data") + "/**, in quotes";
        assertEquals(0, importing("--schema", path("dump.sql"), path("data")), this::err);
        assertTrue(err().lines().toList().contains(line), this::err);
        Files.delete(directory.resolve("data/item-0001.csv"));
        Files.delete(directory.resolve("data/item-0003.csv"));
        Files.delete(directory.resolve("data/public.area.csv"));
        String[] build = {
            "build", "--schema", path("dump.sql"), "--table", "item", "--output", path("set"), path("data")
        };
        assertEquals(0, run(build), this::err);
        assertTrue(err().contains("input: passed over in " + path("data") + ": old/; name"), this::err);
    }

    @Test
    void fileOfNoTableIsRefused() throws IOException {
        write("data/items.csv", "1\n");
        assertEquals(2, importing("--schema", path("dump.sql"), path("data")));
        assertTrue(err().contains("items.csv: its name is that of no table of"), this::err);
        assertTrue(err().contains("item, Area, empty"), this::err);
        assertFalse(Files.exists(directory.resolve("store")));
    }

    @Test
    void tableThatIsThereStopsTheRunBeforeItBegins() throws IOException {
        assertEquals(0, importing("--schema", path("dump.sql"), "--table", "item", path("data/item-0001.csv")));
        assertEquals(2, importing("--schema", path("dump.sql"), path("data")));
        assertTrue(err().contains("there is already a table item; drop it"), this::err);
        assertEquals(0, run("tables", "--store", path("store")));
        assertFalse(out().contains("Area"), this::out);
    }

    /** The rows of the other file would be missing, though the run succeeded. */
    @ParameterizedTest
    @ValueSource(strings = {"merge", "direct"})
    void finishedImportOfOtherInputsIsNamed(String mode) throws IOException {
        String[] command = {
            "--schema", path("dump.sql"), "--table", "item", "--mode", mode, "--job-id", "j", path("data/item-0001.csv")
        };
        assertEquals(0, importing(command), this::err);
        assertEquals(0, importing(command), this::err);
        assertTrue(err().contains("already imported"), this::err);
        command[command.length - 1] = path("data/item-0002.csv");
        assertEquals(2, importing(command), this::err);
        assertTrue(err().contains("is finished, with other inputs"), this::err);
        assertEquals(0, run("scan", "item", "--store", path("store")), this::err);
        assertEquals("1,7,hat\n2,7,cap\n", out());
    }

    @Test
    void emptyNamesAreRefused() throws IOException {
        String[] command = {"--schema", path("dump.sql"), "--job-id", "", path("data")};
        assertEquals(2, importing(command), this::err);
        assertTrue(err().contains("--job-id is empty"), this::err);
        assertFalse(Files.exists(directory.resolve("store")));
        assertEquals(2, run("replay", "", "--store", path("data")), this::err);
        assertTrue(err().contains("BUNDLE is empty"), this::err);
    }

    @Test
    void sameJobIdResumesTheRun() throws IOException {
        // The second table fails after its beginning was checked.
        StringBuilder rows = new StringBuilder();
        for (int id = 1; id <= 30_000; id++) {
            rows.append(id).append(",7,hat\n");
        }
        write("data/item-0002.csv", rows + "x,8,fez\n");
        String[] command = {
            "--schema", path("dump.sql"), "--job-id", "load", path("data/item-0002.csv"), path("data/public.area.csv")
        };
        assertEquals(2, importing(command));
        assertTrue(
                err().contains(
                                "imported before the failure: Area; not imported: item; the same command resumes the run"),
                this::err);
        write("data/item-0002.csv", rows.toString());
        assertEquals(0, importing(command), this::err);
        assertTrue(err().contains("already imported"), this::err);
        assertTrue(out().contains("imported 2 tables with 30,002 rows"), this::out);
    }

    @Test
    void textThatMayBeNullIsNamed() throws IOException {
        write("area.csv", "1,Ulm\n2,\\N\n3,\\Nora\n");
        String[] plain = {"--schema", path("dump.sql"), "--table", "Area", path("area.csv")};
        assertEquals(0, importing(plain), this::err);
        assertTrue(err().contains("input: column name has \\N, which is text; --nullif '\\N' --nullif ''"), this::err);
        String[] asNull = {"--nullif", "\\N", "--schema", path("dump.sql"), "--table", "Area", path("area.csv")};
        assertEquals(0, run("drop", "Area", "--store", path("store")), this::err);
        assertEquals(0, importing(asNull), this::err);
        assertFalse(err().contains("which is text"), this::err);
        write("quoted.csv", "4,\"\\N\"\n");
        assertEquals(0, importing("--append", "--schema", path("dump.sql"), "--table", "Area", path("quoted.csv")));
        assertEquals(0, run("scan", "Area", "--store", path("store")), this::err);
        assertEquals("1,Ulm\n2,\n3,\\Nora\n4,\\N\n", out());
    }

    @Test
    void inputWithoutRowsIsNamed() throws IOException {
        write("data/item-0002.csv", "");
        assertEquals(0, importing("--schema", path("dump.sql"), path("data")), this::err);
        assertTrue(err().contains("input of 0 bytes: " + path("data/item-0002.csv") + "; check that"), this::err);
        assertTrue(out().contains("  warning   input of 0 bytes: "), this::out);
        write("data/public.area.csv", "7,Ulm\n7,Bonn\n");
        write("data/area.csv", "");
        // The policy has the input read again, in another attempt.
        String[] again = {
            "--schema",
            path("dump.sql"),
            "--table",
            "Area",
            "--append",
            "--on-conflict",
            "last",
            path("data/area.csv"),
            path("data/public.area.csv")
        };
        assertEquals(0, importing(again), this::err);
        assertTrue(out().contains("  warning   input of 0 bytes: "), this::out);

        write("empty.csv", "id\n");
        assertEquals(0, importing("--schema", path("dump.sql"), "--header", path("empty.csv")), this::err);
        assertTrue(err().contains("the input has no records: no row was imported"), this::err);
    }

    @Test
    void rejectsOfEachTableHaveTheirDirectory() throws IOException {
        write("data/item-0002.csv", "x,8,fez\n4,8,bowler\n");
        String[] lenient = {"--schema", path("dump.sql"), "--max-rejects", "1", "--rejects", path("bad"), path("data")};
        assertEquals(3, importing(lenient), this::err);
        assertEquals("x,8,fez\n", Files.readString(directory.resolve("bad/item/rejects.csv")));
    }

    @Test
    void tableIsInferredWithoutSchema() throws IOException {
        write("pets.csv", "id;name;born\n1;Rex;2024-05-01\n2;Tom;2023-01-31\n");
        assertEquals(0, importing(path("pets.csv")), this::err);
        assertTrue(err().contains("unique in all 2 records: id, name, born"), this::err);
        assertTrue(err().contains("input: CSV, delimiter ';', quote '\"', header"), this::err);
        assertEquals(0, run("scan", "pets", "--store", path("store"), "--header"));
        assertEquals("id,name,born\n1,Rex,2024-05-01\n2,Tom,2023-01-31\n", out());

        write("lines.jsonl", "{\"n\":1,\"t\":\"x\"}\n{\"n\":2}\n");
        assertEquals(0, importing("--table", "lines", path("lines.jsonl")), this::err);
        assertEquals(0, run("scan", "lines", "--store", path("store")));
        assertEquals("1,x\n2,\n", out());
    }

    @Test
    void inferredTableOfADirectoryHasItsName() throws IOException {
        write("sales/2024-01.csv", "id,name\n1,a\n");
        write("sales/2024-02.csv", "id,name\n2,b\n");
        assertEquals(0, importing(path("sales")), this::err);
        assertEquals(0, run("scan", "sales", "--store", path("store")), this::err);
        assertEquals("1,a\n2,b\n", out());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<root>\n<row><a>1</a><b>2</b></row>\n<row><a>3</a><b>4</b></row>\n</root>\n",
                "\ufeff  <root><row a='1,2' b=\"3,4\"/></root>",
                "<row id=\"1\" name=\"a,b\"/>\n<row id=\"2\" name=\"c,d\"/>\n",
                "<!-- made by hand -->\n<x:rows/>",
                "<rows/>"
            })
    void documentWithoutADeclarationIsXml(String text) throws IOException {
        write("rows.xml", text);
        assertEquals(2, importing(path("rows.xml")), this::err);
        assertTrue(err().contains("rows.xml: is an XML document; convert it to CSV or JSON"), this::err);
    }

    @Test
    void fieldsWithTagsAreNoXml() throws IOException {
        write("tags.csv", "<b>one</b>,1\n<b>two</b>,2\n");
        assertEquals(0, importing(path("tags.csv")), this::err);
        write("page.csv", "\n<HTML><body>sign in</body></HTML>\n");
        assertEquals(2, importing(path("page.csv")), this::err);
        assertTrue(err().contains("page.csv: is an HTML page; get the file itself"), this::err);
    }

    @Test
    void strictAvroTakesColumnsOfDirectories() throws IOException {
        write("part.sql", "CREATE TABLE part (id INT8 PRIMARY KEY, region STRING)");
        write("id.avsc", "{\"type\":\"record\",\"name\":\"r\",\"fields\":[{\"name\":\"id\",\"type\":\"long\"}]}");
        write("part/region=eu/rows", "{\"id\":1}\n");
        write("part/region=us/rows", "{\"id\":2}\n");
        List<String> strict =
                new ArrayList<>(List.of("--schema", path("part.sql"), "--format", "avro-json", "--avro-strict"));
        strict.addAll(List.of("--avro-schema", path("id.avsc"), path("part")));
        assertEquals(0, importing(strict.toArray(new String[0])), this::err);
        assertEquals(0, run("scan", "part", "--store", path("store")), this::err);
        assertEquals("1,eu\n2,us\n", out());
        write("rows", "{\"id\":3}\n");
        strict.set(strict.size() - 1, path("rows"));
        assertEquals(2, importing(strict.toArray(new String[0])), this::err);
        assertTrue(err().contains("column region has no field, and --avro-strict asks for one"), this::err);
    }

    @Test
    void optionsOverrideWhatIsFound() throws IOException {
        write("pets.csv", "id;name\n1;Rex\n");
        assertEquals(0, importing("--no-header", path("pets.csv")), this::err);
        assertEquals(0, run("scan", "pets", "--store", path("store")));
        assertEquals("id,name\n1,Rex\n", out());
        assertEquals(2, importing("-"));
        assertTrue(err().contains("--schema FILE is missing"), this::err);
    }

    @Test
    void namesOfFiles() {
        Set<String> tables = Set.of("stock", "order_line", "Area", "v2");
        assertEquals("stock", TableInputs.tableOf("/in/stock.csv", tables));
        assertEquals("stock", TableInputs.tableOf("STOCK.tbl.zst", tables));
        assertEquals("stock", TableInputs.tableOf("tpcc.public.stock.csv.gz", tables));
        assertEquals("stock", TableInputs.tableOf("s3://bucket/stock_0003_part_00.gz", tables));
        assertEquals("stock", TableInputs.tableOf("https://host/stock.1.csv?X-Signature=a/b.c", tables));
        assertEquals("stock", TableInputs.tableOf("/in#1/is it?/stock.csv", tables));
        assertEquals("order_line", TableInputs.tableOf("order_line-part-12.parquet", tables));
        assertEquals("order_line", TableInputs.tableOf("/in/order_line/part-00000-abc.snappy.parquet", tables));
        assertEquals("Area", TableInputs.tableOf("area.json", tables));
        assertEquals("v2", TableInputs.tableOf("v2.csv", tables));
        assertNull(TableInputs.tableOf("/in/stocks.csv", tables));
        assertNull(TableInputs.tableOf("order.csv", tables));
    }
}
