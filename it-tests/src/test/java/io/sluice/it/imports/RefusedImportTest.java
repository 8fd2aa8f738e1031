package io.sluice.it.imports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.importer.job.ImportReport;
import io.sluice.it.support.Imports;
import io.sluice.it.support.Imports.How;
import io.sluice.it.support.Stock;
import io.sluice.model.error.BadInputException;
import io.sluice.model.schema.TableDef;
import io.sluice.node.StorageNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Imports that must not succeed, or not with every row: what they say, and that they leave nothing behind. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class RefusedImportTest {
    private static final TableDef STOCK = Imports.table(Stock.SQL);
    private static final TableDef PAIRS = Imports.table("CREATE TABLE pairs (k INT8 PRIMARY KEY, v INT4)");

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 499, 998})
    void twoRowsOfOneKeyAreAConflict(int place) throws IOException {
        List<String> lines =
                new ArrayList<>(Stock.numbers(1000).stream().map(Stock::line).toList());
        lines.add(place, "0,500,99,other code,other note");
        String message = refused(STOCK, How.USUAL, lines);
        assertTrue(message.contains("index primary"), message);
        assertTrue(message.contains("other note"), message);
        assertTrue(message.contains("a note that makes"), message);
    }

    @Test
    void twoRowsOfOneUniqueValueAreAConflict() throws IOException {
        List<String> lines =
                new ArrayList<>(Stock.numbers(1000).stream().map(Stock::line).toList());
        String code = lines.get(123).split(",", -1)[3];
        lines.add("7,7,7," + code + ",other note");
        String message = refused(STOCK, How.USUAL, lines);
        assertTrue(message.contains("index by_code"), message);
        assertTrue(message.contains("code = " + code + ", warehouse = 0, item = 123"), message);
        assertTrue(message.contains("code = " + code + ", warehouse = 7, item = 7"), message);
    }

    @Test
    void oneBadRowIsOneTooMany() throws IOException {
        String message = refused(PAIRS, How.USUAL, List.of("1,1", "\"2\",\"x", "y\"", "3,3"));
        assertTrue(message.contains("input.csv, line 2 (byte 4), column v:"), message);
        assertTrue(message.contains("x\\ny"), "no excerpt: " + message);
        assertTrue(message.contains("--max-rejects"), message);
    }

    @Test
    void firstBadRowOfTheInputIsNamed() throws IOException {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 200_000; i++) {
            lines.add(i % 50_000 == 40_000 ? i + ",bad" : i + "," + i);
        }
        for (int workers : List.of(1, 2, 4)) {
            String message = refused(PAIRS, How.USUAL.with(64L << 20, workers), lines);
            assertTrue(message.contains("line 40001 "), workers + " workers: " + message);
        }
    }

    @Test
    void rejectsAreWrittenInTheOrderOfTheInputWithTheirLines() throws IOException {
        List<String> lines = new ArrayList<>();
        List<Integer> badLines = new ArrayList<>();
        for (int i = 0; i < 200_000; i++) {
            boolean bad = i % 997 == 0;
            lines.add(bad ? i + ",bad" : i + "," + i);
            if (bad) {
                badLines.add(i + 1);
            }
        }
        Path input = Files.write(directory.resolve("input.csv"), lines);
        Path rejects = directory.resolve("rejects");
        ImportReport report = Imports.intoNewStore(
                directory.resolve("store"), PAIRS, How.USUAL.with(64L << 20, 4).allowing(1000, rejects), input);
        assertEquals("succeeded_with_rejects", report.outcome().state());
        assertEquals(badLines.size(), report.rows().rejected());
        assertEquals(lines.size() - badLines.size(), report.rows().imported());
        assertEquals(lines.size(), report.rows().read());

        List<Integer> written = new ArrayList<>();
        ObjectMapper json = new ObjectMapper();
        String data = Files.readString(rejects.resolve("rejects.csv"));
        for (String line : Files.readAllLines(rejects.resolve("rejects.jsonl"))) {
            JsonNode reject = json.readTree(line);
            int number = reject.get("line").asInt();
            written.add(number);
            assertEquals(input.toString(), reject.get("file").asText());
            assertEquals("v", reject.get("column").asText());
            assertEquals("syntax", reject.get("code").asText());
            assertEquals(lines.get(number - 1), reject.get("excerpt").asText());
            assertEquals(
                    lines.get(number - 1),
                    data.substring(
                            reject.get("offset").asInt(),
                            reject.get("offset").asInt() + reject.get("length").asInt()));
        }
        assertEquals(badLines, written);
    }

    @Test
    void theLimitOfRejectsIsInclusive() throws IOException {
        List<String> lines = List.of("1,1", "x,2", "y,3", "z,4");
        Path input = Files.write(directory.resolve("input.csv"), lines);
        ImportReport report =
                Imports.intoNewStore(directory.resolve("three"), PAIRS, How.USUAL.allowing(3, null), input);
        assertEquals(3, report.rows().rejected());
        String message = refused(PAIRS, How.USUAL.allowing(2, null), lines);
        assertTrue(message.contains("line 2 "), message);
        assertTrue(message.contains("2 rejects"), message);
    }

    /** Imports lines, which must be refused, and checks that the store is as it was. */
    private String refused(TableDef table, How how, List<String> lines) throws IOException {
        Path input = Files.write(directory.resolve("input.csv"), lines);
        Path store = directory.resolve("store");
        try (StorageNode node = Imports.open(store)) {
            BadInputException refused =
                    assertThrows(BadInputException.class, () -> Imports.run(node, table, how, input));
            assertEquals(List.of(), node.tables());
            assertEquals(List.of(), Imports.leftBehind(store));
            return String.valueOf(refused.getMessage());
        }
    }
}
