package io.sluice.it.imports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.support.SluiceProcess;
import io.sluice.it.support.SluiceProcess.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests files below directories such as {@code year=2024}: they make the table that one file with all columns makes.
 */
@SuppressWarnings("NullAway.Init") // JUnit and the set-up set the fields
class DirectoryValuesTest {
    private static final String SQL = "CREATE TABLE sales (id INT8, amount INT8 NOT NULL, year INT8 NOT NULL,"
            + " state STRING, PRIMARY KEY (id), INDEX by_state (state, year));";

    @TempDir
    Path directory;

    private Path schema;
    private String expected;

    @BeforeEach
    void importOneFile() throws IOException {
        schema = Files.writeString(directory.resolve("sales.sql"), SQL);
        Path whole = write("whole.csv", "1,10,2023,New York/NY", "2,20,2023,", "3,30,2024,a+b", "4,40,2024,a+b");
        expected = digest("whole", whole.toString());
    }

    private Path write(String name, String... lines) throws IOException {
        Path file = directory.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.write(file, List.of(lines));
    }

    private Result sluice(String... arguments) {
        return SluiceProcess.call(arguments);
    }

    private Result importing(String store, String... more) {
        List<String> arguments = new ArrayList<>(List.of(
                "import",
                "--schema",
                schema.toString(),
                "--store",
                directory.resolve(store).toString(),
                "--json"));
        arguments.addAll(Arrays.asList(more));
        return sluice(arguments.toArray(new String[0]));
    }

    private String digest(String store, String... more) throws IOException {
        Result result = importing(store, more);
        assertEquals(0, result.exitCode(), result.toString());
        return result.report().get("digest").asText();
    }

    private Path csv(String first) throws IOException {
        List<String> header = first.isEmpty() ? List.of() : List.of(first);
        String[][] files = {
            {"year=2023/state=New%20York%2FNY/a.csv", "1,10"},
            {"year=2023/state=__HIVE_DEFAULT_PARTITION__/a.csv", "2,20"},
            {"year=2024/state=a+b/a.csv", "3,30"},
            {"year=2024/state=a+b/b.csv", "4,40"}
        };
        for (String[] file : files) {
            List<String> lines = new ArrayList<>(header);
            lines.add(file[1]);
            write("sales/" + file[0], lines.toArray(new String[0]));
        }
        write("sales/_SUCCESS");
        return directory.resolve("sales");
    }

    @ParameterizedTest
    @ValueSource(strings = {"merge", "direct", "two-pass"})
    void valuesFillColumns(String mode) throws Exception {
        assertEquals(expected, digest("csv", "--mode", mode, "--workers", "3", csv("").toString()));
    }

    @Test
    void formatsWithNamesTakeThemToo() throws Exception {
        Result header = importing("header", "--header", csv("id,amount").toString());
        assertEquals(0, header.exitCode(), header.toString());
        assertEquals(expected, header.report().get("digest").asText());
        write("json/year=2024/a.ndjson", "{\"id\":3,\"amount\":30,\"state\":\"a+b\"}");
        write("json/year=1999/b.ndjson", "{\"id\":4,\"amount\":40,\"state\":\"a+b\",\"year\":2024}");
        write("json/year=2023/c.ndjson", "{\"id\":2,\"amount\":20}");
        write("json/year=2023/state=New York%2FNY/c.ndjson", "{\"id\":1,\"amount\":10}");
        assertEquals(expected, digest("of-json", directory.resolve("json").toString()));
    }

    @Test
    void tableIsInferredWithTheirColumns() throws Exception {
        Path store = directory.resolve("inferred");
        Result result = sluice(
                "import",
                "--store",
                store.toString(),
                "--header",
                csv("id,amount").toString());
        assertEquals(0, result.exitCode(), result.toString());
        assertTrue(result.toString().contains("input: directories fill column year, state"), result.toString());
        Result rows = sluice("scan", "sales", "--store", store.toString());
        assertTrue(
                rows.out().contains("3")
                        && rows.out().contains("2024")
                        && rows.out().contains("a+b"),
                rows.toString());
    }

    @Test
    void wrongValueIsNamed() throws Exception {
        Path file = write("sales/year=MMXX/a.csv", "1,10");
        Result result = importing("wrong", file.toString());
        assertEquals(2, result.exitCode(), result.toString());
        assertTrue(
                result.err().contains("column year has 'MMXX' from its directory: INT8 must be a whole number"),
                result.err());
        Path missing = write("sales/year=__HIVE_DEFAULT_PARTITION__/a.csv", "1,10");
        Result refused = importing("wrong", missing.toString());
        assertEquals(2, refused.exitCode(), refused.toString());
        assertTrue(
                refused.err()
                        .contains("column year is NOT NULL, and its directory, __HIVE_DEFAULT_PARTITION__, is NULL"),
                refused.err());
        assertFalse(Files.exists(directory.resolve("wrong")));
    }

    @Test
    void filesThatHaveTheColumnsAllTheSameNeedColumns() throws Exception {
        Path file = write("sales/year=2024/a.csv", "3,30,2024,a+b", "4,40,2024,a+b");
        Result result = importing("whole2", file.toString());
        assertEquals(2, result.exitCode(), result.toString());
        assertTrue(result.err().contains("--columns id,amount,year,state"), result.err());
    }

    @Test
    void rejectsAreReplayedWithTheirValues() throws Exception {
        Path files = csv("");
        write("sales/year=2023/state=New%20York%2FNY/a.csv", "1,ten");
        write("sales/year=2024/state=a+b/b.csv", "4,forty");
        Path bundle = directory.resolve("year=1999/rejects");
        Result partly = importing("partly", "--max-rejects", "5", "--rejects", bundle.toString(), files.toString());
        assertEquals(3, partly.exitCode(), partly.toString());
        Path first = bundle.resolve("year=2023/state=New%20York%2FNY/rejects.csv");
        Path second = bundle.resolve("year=2024/state=a+b/rejects-2.csv");
        assertEquals(List.of("1,ten"), Files.readAllLines(first));
        Files.writeString(first, "1,10\n");
        Files.writeString(second, "4,40\n");
        String store = directory.resolve("partly").toString();
        Result replayed = sluice("replay", bundle.toString(), "--store", store, "--json");
        assertEquals(0, replayed.exitCode(), replayed.toString());
        Result digest = sluice("digest", "sales", "--store", store, "--json");
        assertEquals(expected, digest.report().get("digest").asText(), digest.toString());
    }
}
