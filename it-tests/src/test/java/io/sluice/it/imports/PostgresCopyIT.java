package io.sluice.it.imports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.api.node.RowCursor;
import io.sluice.api.node.ScanRequest;
import io.sluice.importer.decode.CsvDialect;
import io.sluice.importer.decode.NamedDialect;
import io.sluice.importer.decode.ValueFormat;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.it.support.Imports;
import io.sluice.it.support.Imports.How;
import io.sluice.it.support.Seeds;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.TableDef;
import io.sluice.node.StorageNode;
import io.sluice.testing.PostgresServer;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random rows that PostgreSQL's COPY TO writes have the same values after an import, whatever the options and the zone.
 */
class PostgresCopyIT {
    private static final long SEED = Seeds.of(PostgresCopyIT.class);
    private static final int ROWS = Integer.getInteger("sluice.it.copyRows", 300);
    private static final String COLUMNS = "id INT8 PRIMARY KEY, b BOOLEAN, i2 SMALLINT, f4 REAL, f8 DOUBLE PRECISION,"
            + " n NUMERIC, m NUMERIC(12,2), s TEXT, v VARCHAR(20), y BYTEA, d DATE, t TIME, ts TIMESTAMP,"
            + " tz TIMESTAMPTZ, u UUID, tt TIMETZ, iv INTERVAL, ip INET, vb VARBIT(70), j JSONB, ai INT8[], at TEXT[], ad NUMERIC[]";
    private static final List<String> ZONES = List.of("Europe/Amsterdam", "America/St_Johns", "Asia/Kathmandu");

    /** Characters that some format escapes or quotes, control characters, and characters of two to four bytes. */
    private static final String ALPHABET = "ab01xNZ.\\\\\\\"\"',;|\t\n\r\b\f\u000b\u0001\u001a\u007f äß漢\ud83d\ude00";

    private record Options(String copy, CsvDialect dialect) {}

    private static List<Options> options() {
        CsvDialect text = NamedDialect.POSTGRESQL_TEXT.dialect();
        CsvDialect csv = NamedDialect.POSTGRESQL_CSV.dialect();
        CsvDialect.Records header = new CsvDialect.Records(true, 0, 0);
        return List.of(
                new Options("FORMAT text", text),
                new Options("FORMAT text, DELIMITER '|'", text.withDelimiter("|")),
                new Options("FORMAT text, NULL '<none>'", text.with(ValueFormat.ofNull("<none>"))),
                new Options(
                        "FORMAT text, DELIMITER ',', HEADER",
                        text.withDelimiter(",").with(header)),
                new Options("FORMAT csv", csv),
                new Options(
                        "FORMAT csv, DELIMITER ';', NULL 'NULL'",
                        csv.withDelimiter(";").with(ValueFormat.ofNull("NULL"))),
                new Options(
                        "FORMAT csv, ESCAPE '\\', HEADER",
                        new CsvDialect(",", '"', '\\', null, csv.values(), csv.traits(), header)),
                new Options(
                        "FORMAT csv, QUOTE '''', FORCE_QUOTE *",
                        new CsvDialect(",", '\'', null, null, csv.values(), csv.traits(), csv.records())));
    }

    @Test
    void everyValueIsTheOneThatWasExported(@TempDir Path directory) throws Exception {
        Path binaries = PostgresServer.binaries();
        assumeTrue(binaries != null, "this machine lacks the server of PostgreSQL");
        TableDef table = Imports.table("CREATE TABLE t (" + COLUMNS + ")");
        try (PostgresServer postgres = PostgresServer.start(Objects.requireNonNull(binaries), directory)) {
            Path output = directory.resolve("output");
            postgres.psql("CREATE TABLE t (" + COLUMNS + ");\n" + inserts(), output);
            List<List<@Nullable String>> expected = expected(postgres, output);
            for (String zone : ZONES) {
                for (Options options : options()) {
                    String name = "seed " + SEED + ", " + zone + ", " + options.copy();
                    Path file = directory.resolve("t.copy");
                    postgres.psql("SET timezone = '" + zone + "'; COPY t TO STDOUT (" + options.copy() + ");", file);
                    assertRows(expected, imported(directory, table, options.dialect(), file), name);
                }
            }
        }
    }

    private static void assertRows(
            List<List<@Nullable String>> expected, List<List<@Nullable String>> actual, String name) {
        assertEquals(expected.size(), actual.size(), name);
        for (int i = 0; i < expected.size(); i++) {
            assertEquals(expected.get(i), actual.get(i), name);
        }
    }

    private static List<List<@Nullable String>> imported(Path directory, TableDef table, CsvDialect dialect, Path file)
            throws Exception {
        Path store = Files.createTempDirectory(directory, "store").resolve("store");
        Imports.intoNewStore(store, table, How.USUAL.of(new InputFormat.Csv(dialect, null)), file);
        List<List<@Nullable String>> rows = new ArrayList<>();
        try (StorageNode node = Imports.open(store);
                RowCursor cursor = node.scan(new ScanRequest("t", null, List.of(), List.of(), Long.MAX_VALUE))) {
            for (List<@Nullable String> row = cursor.next(); row != null; row = cursor.next()) {
                rows.add(row);
            }
        }
        return rows;
    }

    /** The rows as PostgreSQL itself prints them, in hex so that no format is between. */
    private static List<List<@Nullable String>> expected(PostgresServer postgres, Path output) throws Exception {
        String fields = Imports.table("CREATE TABLE t (" + COLUMNS + ")").columns().stream()
                .map(Column::name)
                // A cast of INET to text has the length of the prefix even where the output of the type has none.
                .map(name -> "CASE WHEN " + name + " IS NULL THEN '' ELSE 'x' || encode(convert_to("
                        + (name.equals("ip") ? "format('%s', ip)" : name + "::text") + ", 'UTF8'), 'hex') END")
                .reduce((left, right) -> left + ", " + right)
                .orElseThrow();
        postgres.psql("SET timezone = 'UTC'; SELECT " + fields + " FROM t ORDER BY id;", output, "-A", "-t");
        List<List<@Nullable String>> rows = new ArrayList<>();
        for (String line : Files.readAllLines(output)) {
            List<@Nullable String> row = new ArrayList<>();
            for (String field : line.split("\\|", -1)) {
                row.add(
                        field.isEmpty()
                                ? null
                                : new String(HexFormat.of().parseHex(field.substring(1)), StandardCharsets.UTF_8));
            }
            rows.add(row);
        }
        return rows;
    }

    private static String inserts() {
        Random random = new Random(SEED);
        List<Supplier<String>> columns = List.of(
                () -> random.nextBoolean() ? "true" : "false",
                () -> String.valueOf((short) random.nextInt()),
                () -> special(random, String.valueOf(Float.intBitsToFloat(random.nextInt()))),
                () -> special(random, String.valueOf(Double.longBitsToDouble(random.nextLong()))),
                () -> special(
                        random,
                        new BigDecimal(new BigInteger(random.nextInt(100), random), random.nextInt(6)).toPlainString()),
                () -> new BigDecimal(BigInteger.valueOf(random.nextLong() % 1_000_000_000_000L), 2).toPlainString(),
                () -> text(random, 40),
                () -> text(random, 20),
                () -> bytes(random),
                () -> infinite(random, random.nextInt(50) - 25 + " days"),
                () -> String.format(
                        "%02d:%02d:%02d.%06d",
                        random.nextInt(24), random.nextInt(60), random.nextInt(60), random.nextInt(1_000_000)),
                () -> timestamp(random, ""),
                () -> timestamp(random, random.nextBoolean() ? "" : "+05:30"),
                () -> new UUID(random.nextLong(), random.nextLong()).toString(),
                () -> "12:34:" + random.nextInt(60) + "." + random.nextInt(1_000_000)
                        + List.of("", "+05:30", "-08", "+00:19:32").get(random.nextInt(4)),
                () -> interval(random),
                () -> address(random),
                () -> Long.toBinaryString(random.nextLong() >>> random.nextInt(Long.SIZE))
                        + "0".repeat(random.nextInt(6)),
                () -> document(random, 3),
                () -> array(random, () -> String.valueOf(random.nextInt())),
                () -> array(
                        random,
                        () -> '"' + text(random, 10).replace("\\", "\\\\").replace("\"", "\\\"") + '"'),
                () -> array(random, () -> special(random, random.nextInt() + "." + random.nextInt(1_000_000))));
        StringBuilder sql = new StringBuilder("SET timezone = 'UTC';\n");
        for (int id = 1; id <= ROWS; id++) {
            sql.append("INSERT INTO t VALUES (").append(id);
            for (int i = 0; i < columns.size(); i++) {
                String value = columns.get(i).get();
                sql.append(", ").append(random.nextInt(12) == 0 ? "NULL" : literal(value));
            }
            sql.append(");\n");
        }
        return sql.toString();
    }

    private static String literal(String value) {
        if (value.endsWith(" days")) {
            int days = Integer.parseInt(value.substring(0, value.indexOf(' ')));
            return "(DATE '2000-01-01' + " + days * 30_000L + ")::date";
        }
        return "E'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }

    /** A document whose names have one length, because PostgreSQL sorts names by their length first. */
    private static String document(Random random, int depth) {
        return switch (random.nextInt(depth == 0 ? 4 : 6)) {
            case 0 -> List.of("null", "true", "false").get(random.nextInt(3));
            case 1 -> new BigDecimal(new BigInteger(random.nextInt(100), random), random.nextInt(20)).toPlainString();
            case 2, 3 -> quoted(text(random, 8));
            case 4 ->
                IntStream.range(0, random.nextInt(5))
                        .mapToObj(i -> document(random, depth - 1))
                        .collect(Collectors.joining(",", "[", "]"));
            default ->
                IntStream.range(0, random.nextInt(5))
                        .mapToObj(i -> quoted(String.valueOf((char) ('a' + random.nextInt(26)))) + ": "
                                + document(random, depth - 1))
                        .collect(Collectors.joining(",", "{", "}"));
        };
    }

    private static String quoted(String text) {
        StringBuilder json = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            json.append(c < ' ' || c == '"' || c == '\\' ? String.format("\\u%04x", (int) c) : String.valueOf(c));
        }
        return json.append('"').toString();
    }

    private static String array(Random random, Supplier<String> element) {
        return IntStream.range(0, random.nextInt(6))
                .mapToObj(i -> random.nextInt(6) == 0 ? "NULL" : element.get())
                .collect(Collectors.joining(",", "{", "}"));
    }

    private static String interval(Random random) {
        int[] most = {200, 11, 10_000, 100, 59};
        String[] units = {"years", "months", "days", "hours", "minutes"};
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < units.length; i++) {
            if (random.nextBoolean()) {
                text.append(' ')
                        .append(random.nextInt(2 * most[i] + 1) - most[i])
                        .append(' ')
                        .append(units[i]);
            }
        }
        return random.nextBoolean()
                ? text + " 0 seconds"
                : text + " " + (random.nextBoolean() ? "-" : "") + random.nextInt(60) + "."
                        + String.format("%06d", random.nextInt(1_000_000)) + " seconds";
    }

    private static String address(Random random) {
        boolean v6 = random.nextBoolean();
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < (v6 ? 8 : 4); i++) {
            int part = random.nextInt(3) > 0 ? 0 : random.nextInt(v6 ? 1 << 16 : 1 << 8);
            text.append(i == 0 ? "" : v6 ? ":" : ".").append(v6 ? Integer.toHexString(part) : String.valueOf(part));
        }
        return random.nextBoolean() ? text.toString() : text + "/" + random.nextInt(v6 ? 129 : 33);
    }

    private static String special(Random random, String number) {
        return random.nextInt(20) > 0
                ? number
                : List.of("NaN", "Infinity", "-Infinity").get(random.nextInt(3));
    }

    private static String infinite(Random random, String date) {
        return random.nextInt(20) > 0 ? date : List.of("infinity", "-infinity").get(random.nextInt(2));
    }

    private static String text(Random random, int length) {
        if (random.nextInt(8) == 0) {
            return List.of("", "\\.", "\\N", "NULL", "\"", "\\", "'", "<none").get(random.nextInt(8));
        }
        int[] characters = ALPHABET.codePoints().toArray();
        StringBuilder text = new StringBuilder();
        for (int left = random.nextInt(length + 1); left > 0; left--) {
            text.appendCodePoint(characters[random.nextInt(characters.length)]);
        }
        return text.toString();
    }

    private static String bytes(Random random) {
        byte[] bytes = new byte[random.nextInt(20)];
        random.nextBytes(bytes);
        return "\\x" + HexFormat.of().formatHex(bytes);
    }

    /** A time in the years 1 to 9999, before or after Christ, mostly when zones had offsets with seconds. */
    private static String timestamp(Random random, String zone) {
        if (random.nextInt(20) == 0) {
            return random.nextBoolean() ? "infinity" : "-infinity";
        }
        boolean before = random.nextInt(10) == 0;
        int year = before
                ? 1 + random.nextInt(4000)
                : random.nextBoolean() ? 1850 + random.nextInt(200) : 1 + random.nextInt(9999);
        return String.format(
                        "%04d-%02d-%02d %02d:%02d:%02d.%06d",
                        year,
                        1 + random.nextInt(12),
                        1 + random.nextInt(28),
                        random.nextInt(24),
                        random.nextInt(60),
                        random.nextInt(60),
                        random.nextInt(1_000_000))
                + zone
                + (before ? " BC" : "");
    }
}
