package io.sluice.it.imports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.sluice.api.node.RowCursor;
import io.sluice.api.node.ScanRequest;
import io.sluice.importer.job.ImportReport;
import io.sluice.it.support.Imports;
import io.sluice.it.support.Imports.How;
import io.sluice.it.support.Seeds;
import io.sluice.model.schema.TableDef;
import io.sluice.node.StorageNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An imported table has the file's rows: each by its key and by every index, also after a restart. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class ImportedRowsTest {
    private static final long SEED = Seeds.of(ImportedRowsTest.class);

    @TempDir
    Path directory;

    @Test
    void everyIndexGivesTheRowsOfTheFileInItsOrder() throws IOException {
        TableDef table =
                Imports.table("CREATE TABLE people (id INT8, born DATE, name STRING, score DECIMAL(6,2) NOT NULL, "
                        + "PRIMARY KEY (id DESC), INDEX by_born (born DESC, name), "
                        + "INDEX by_score (score) STORING (name), UNIQUE INDEX by_name (name, id))");
        List<List<@Nullable String>> rows = people(3000);
        Path input = write("people.csv", rows);
        Path store = directory.resolve("store");
        Imports.intoNewStore(store, table, How.USUAL, input);

        Comparator<List<@Nullable String>> byId = Comparator.comparing(row -> -Long.parseLong(text(row, 0)));
        Comparator<List<@Nullable String>> byName = nullsFirst(2);
        Comparator<List<@Nullable String>> byBorn = nullsFirst(1);
        Comparator<List<@Nullable String>> byScore =
                Comparator.comparing(row -> new java.math.BigDecimal(text(row, 3)));
        Comparator<List<@Nullable String>> idAscending = byId.reversed();
        try (StorageNode node = Imports.open(store)) {
            assertEquals(sorted(rows, byId), scan(node, null, List.of(), List.of()), "seed " + SEED);
            assertEquals(
                    sorted(rows, byBorn.reversed().thenComparing(byName).thenComparing(idAscending)),
                    scan(node, "by_born", List.of(), List.of()),
                    "seed " + SEED);
            assertEquals(
                    sorted(rows, byScore.thenComparing(idAscending)),
                    scan(node, "by_score", List.of(), List.of()),
                    "seed " + SEED);
            assertEquals(
                    sorted(rows, byName.thenComparing(idAscending)),
                    scan(node, "by_name", List.of(), List.of()),
                    "seed " + SEED);
            assertEquals(
                    sorted(
                            rows.stream()
                                    .filter(row -> inRange(new java.math.BigDecimal(text(row, 3)), 10, 20))
                                    .toList(),
                            byScore.thenComparing(idAscending)),
                    scan(node, "by_score", List.of("10"), List.of("20")),
                    "seed " + SEED);
            for (List<@Nullable String> row : rows.subList(0, 200)) {
                assertEquals(row, node.get("people", List.of(text(row, 0))), "seed " + SEED);
            }
            assertNull(node.get("people", List.of("-1")));
        }
    }

    private static boolean inRange(java.math.BigDecimal value, int from, int to) {
        return value.compareTo(java.math.BigDecimal.valueOf(from)) >= 0
                && value.compareTo(java.math.BigDecimal.valueOf(to)) < 0;
    }

    private static Comparator<List<@Nullable String>> nullsFirst(int column) {
        return Comparator.comparing(
                row -> row.get(column) == null ? "" : "x" + row.get(column), Comparator.naturalOrder());
    }

    private static List<List<@Nullable String>> people(int count) {
        Random random = new Random(SEED);
        List<List<@Nullable String>> rows = new ArrayList<>();
        for (int id = 0; id < count; id++) {
            String born = random.nextInt(10) == 0
                    ? null
                    : String.format("19%02d-%02d-%02d", random.nextInt(100), 1 + random.nextInt(12), 10);
            String name = random.nextInt(10) == 0 ? null : "name " + random.nextInt(200) + ", \"quoted\"\nand long";
            String score = String.format("%d.%02d", random.nextInt(40), random.nextInt(100));
            rows.add(Arrays.asList(Integer.toString(id * 3), born, name, score));
        }
        Collections.shuffle(rows, random);
        return rows;
    }

    @Test
    void everyTypeKeepsItsValues() throws IOException {
        TableDef table =
                Imports.table("CREATE TABLE types (k STRING PRIMARY KEY, b BOOL, i2 INT2, i4 INT4, i8 INT8, f4 FLOAT4, "
                        + "f8 FLOAT8, d DECIMAL, dp DECIMAL(10,3), s STRING, v VARCHAR(4), y BYTES, da DATE, t TIME, "
                        + "ts TIMESTAMP, tz TIMESTAMPTZ, u UUID)");
        List<List<@Nullable String>> rows = List.of(
                Arrays.asList(
                        "typical",
                        "true",
                        "-7",
                        "70000",
                        "5000000000",
                        "1.5",
                        "-2.25",
                        "12.340",
                        "0.500",
                        "text",
                        "v4v4",
                        "\\x00ff",
                        "2024-02-29",
                        "23:59:59.000001",
                        "2024-02-29 12:00:00.5",
                        "2024-02-29 12:00:00.123456+00",
                        "00112233-4455-6677-8899-aabbccddeeff"),
                Arrays.asList(
                        "largest",
                        "false",
                        "32767",
                        "2147483647",
                        "9223372036854775807",
                        "Infinity",
                        "Infinity",
                        "Infinity",
                        "9999999.999",
                        "日本語 \u0001",
                        "äöüß",
                        "\\x",
                        "infinity",
                        "24:00:00",
                        "infinity",
                        "infinity",
                        "ffffffff-ffff-ffff-ffff-ffffffffffff"),
                Arrays.asList(
                        "smallest",
                        "false",
                        "-32768",
                        "-2147483648",
                        "-9223372036854775808",
                        "-Infinity",
                        "-Infinity",
                        "-Infinity",
                        "-9999999.999",
                        "",
                        "",
                        "\\x00",
                        "-infinity",
                        "00:00:00",
                        "-infinity",
                        "-infinity",
                        "00000000-0000-0000-0000-000000000000"),
                Arrays.asList(
                        "odd",
                        null,
                        "0",
                        "0",
                        "0",
                        "NaN",
                        "-0",
                        "NaN",
                        "0.000",
                        "a\r\nb",
                        "\"",
                        "\\xdeadbeef",
                        "0001-01-01",
                        "00:00:00.1",
                        "1969-12-31 23:59:59.999999",
                        "1970-01-01 00:00:00+00",
                        null),
                Arrays.asList(
                        "wide",
                        null,
                        null,
                        null,
                        null,
                        null,
                        null,
                        "123456789012345678901234567890.10",
                        null,
                        null,
                        null,
                        null,
                        null,
                        null,
                        null,
                        null,
                        null));
        Path input = write("types.csv", rows);
        Path store = directory.resolve("store");
        Imports.intoNewStore(store, table, How.USUAL, input);
        try (StorageNode node = Imports.open(store)) {
            for (List<@Nullable String> row : rows) {
                assertEquals(row, node.get("types", List.of(text(row, 0))));
            }
        }
    }

    @Test
    void aTableWithoutAKeyKeepsEveryRowInTheOrderOfTheInput() throws IOException {
        TableDef table = Imports.table("CREATE TABLE log (line STRING, INDEX by_line (line))");
        Path first = Files.writeString(directory.resolve("1.csv"), "b\na\nb\n");
        Path second = Files.writeString(directory.resolve("2.csv"), "a\nc\n");
        Path store = directory.resolve("store");
        ImportReport report = Imports.intoNewStore(store, table, How.USUAL, first, second);
        assertEquals(5, report.rows().imported());
        assertEquals(0, report.rows().duplicates(), "no two rows are the same row");
        try (StorageNode node = Imports.open(store)) {
            assertEquals(
                    List.of("b", "a", "b", "a", "c"),
                    firstColumn(all(node, new ScanRequest("log", null, List.of(), List.of(), 99))));
            assertEquals(
                    List.of("a", "a", "b", "b", "c"),
                    firstColumn(all(node, new ScanRequest("log", "by_line", List.of(), List.of(), 99))));
        }
    }

    private static List<String> firstColumn(List<List<@Nullable String>> rows) {
        return rows.stream().map(row -> text(row, 0)).toList();
    }

    @Test
    void aChildLiesInItsParentAndBothAreWhole() throws IOException {
        TableDef parent = Imports.table("CREATE TABLE customers (id INT8 PRIMARY KEY, name STRING)");
        TableDef child = Imports.table("CREATE TABLE orders (customer INT8, number INT8, note STRING, "
                + "PRIMARY KEY (customer, number)) INTERLEAVE IN PARENT customers (customer)");
        List<List<@Nullable String>> customers = new ArrayList<>();
        List<List<@Nullable String>> orders = new ArrayList<>();
        for (int id = 0; id < 400; id++) {
            customers.add(Arrays.asList(Integer.toString(id), "customer " + id));
            for (int number = 0; number < id % 5; number++) {
                orders.add(Arrays.asList(Integer.toString(id), Integer.toString(number), id + "/" + number));
            }
        }
        List<List<@Nullable String>> mixed = new ArrayList<>(orders);
        Collections.shuffle(mixed, new Random(SEED));
        Path store = directory.resolve("store");
        try (StorageNode node = Imports.open(store)) {
            ImportReport first = Imports.run(node, parent, How.USUAL, write("customers.csv", customers));
            ImportReport second = Imports.run(node, child, How.USUAL, write("orders.csv", mixed));
            assertEquals(customers.size(), first.rows().imported());
            assertEquals(orders.size(), second.rows().imported());
            assertNotEquals(first.digest(), second.digest());
        }
        try (StorageNode node = Imports.open(store)) {
            assertEquals(customers, all(node, new ScanRequest("customers", null, List.of(), List.of(), 9999)));
            assertEquals(orders, all(node, new ScanRequest("orders", null, List.of(), List.of(), 9999)));
            assertEquals(List.of("7", "1", "7/1"), node.get("orders", List.of("7", "1")));
            node.drop("orders");
            assertEquals(customers, all(node, new ScanRequest("customers", null, List.of(), List.of(), 9999)));
        }
    }

    private static List<List<@Nullable String>> scan(
            StorageNode node, @Nullable String index, List<@Nullable String> from, List<@Nullable String> to) {
        return all(node, new ScanRequest("people", index, from, to, Long.MAX_VALUE));
    }

    private static List<List<@Nullable String>> all(StorageNode node, ScanRequest request) {
        List<List<@Nullable String>> rows = new ArrayList<>();
        try (RowCursor cursor = node.scan(request)) {
            for (List<@Nullable String> row = cursor.next(); row != null; row = cursor.next()) {
                rows.add(row);
            }
        }
        return rows;
    }

    private static List<List<@Nullable String>> sorted(
            List<List<@Nullable String>> rows, Comparator<List<@Nullable String>> order) {
        return rows.stream().sorted(order).toList();
    }

    private static String text(List<@Nullable String> row, int column) {
        return String.valueOf(row.get(column));
    }

    /** Every datum quoted, NULL as nothing at all. */
    private Path write(String name, List<List<@Nullable String>> rows) throws IOException {
        StringBuilder csv = new StringBuilder();
        for (List<@Nullable String> row : rows) {
            csv.append(String.join(
                            ",",
                            row.stream()
                                    .map(datum -> datum == null ? "" : '"' + datum.replace("\"", "\"\"") + '"')
                                    .toList()))
                    .append('\n');
        }
        return Files.writeString(directory.resolve(name), csv);
    }
}
