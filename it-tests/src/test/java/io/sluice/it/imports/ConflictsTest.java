package io.sluice.it.imports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.importer.conflict.ConflictPolicy;
import io.sluice.importer.job.ImportReport;
import io.sluice.importer.job.ImportSettings.Mode;
import io.sluice.it.imports.ConflictModel.Thing;
import io.sluice.it.support.Imports;
import io.sluice.it.support.Imports.How;
import io.sluice.it.support.Seeds;
import io.sluice.model.error.BadInputException;
import io.sluice.model.schema.TableDef;
import io.sluice.node.StorageNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rows of one input with the same keys: who stays, in every mode, and what is said about the others. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class ConflictsTest {
    private static final TableDef THINGS = Imports.table(ConflictModel.SQL);

    /** The table of the current run, in one column family or in several. */
    private TableDef things = THINGS;
    /** Profile {@code long} sets more. */
    private static final int RUNS = Integer.getInteger("sluice.it.rounds", 4);

    private static final long SEED = Seeds.of(ConflictsTest.class);
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Digests of tables of the model's rows, by their lines. */
    private static final Map<List<String>, String> DIGESTS = new HashMap<>();

    @TempDir
    static Path shared;

    /** The node of all imports whose table is not checked again. */
    private static StorageNode imports;

    @TempDir
    Path directory;

    private int inputs;

    @BeforeAll
    static void open() {
        imports = Imports.open(shared.resolve("store"));
    }

    @AfterAll
    static void close() {
        imports.close();
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void tableEqualsTheRowByRowModelUnderEachPolicy(Mode mode) throws IOException {
        for (int run = 0; run < RUNS; run++) {
            long seed = SEED + run;
            String context = "mode " + mode + ", seed " + seed;
            things = ConflictModel.table(run);
            List<Thing> rows = things(new Random(seed));
            Path[] files = write(rows, 3);
            for (ConflictPolicy policy : List.of(ConflictPolicy.FIRST, ConflictPolicy.LAST, ConflictPolicy.CAPTURE)) {
                List<Thing> kept = ConflictModel.survivors(List.of(), rows, policy);
                ImportReport report = imported(how(mode, policy), files);
                assertEquals(digestOf(kept), report.digest(), context + ", " + policy);
                assertEquals(kept.size(), report.rows().imported(), context);
                long same = rows.stream().filter(kept::contains).count();
                assertEquals(rows.size() - same, report.rows().dropped(), context);
                assertEquals(rows.size(), report.rows().read(), context);
            }
        }
    }

    /** A and B share an id, B and C a code: B loses to A, so C stays. */
    @ParameterizedTest
    @EnumSource(
            value = ConflictPolicy.class,
            names = {"FIRST", "LAST", "CAPTURE"})
    void losingRowFreesItsKeys(ConflictPolicy policy) throws IOException {
        Thing a = new Thing(1, "x", 1, "A");
        Thing b = new Thing(1, "y", 1, "B");
        Thing c = new Thing(2, "y", 1, "C");
        ImportReport report = imported(how(Mode.MERGE, policy), write(List.of(a, b, c), 3));
        assertEquals(digestOf(List.of(a, c)), report.digest());
        assertEquals(1, report.rows().dropped());
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void bothPlacesAreNamedAcrossFilesAndSplits(Mode mode) throws IOException {
        List<String> first = new ArrayList<>();
        for (int i = 0; i < 90_000; i++) {
            first.add(i + ",c" + i + "," + i % 7 + ",note " + i);
        }
        Path one = Files.write(directory.resolve("one.csv"), first);
        Path two = Files.write(directory.resolve("two.csv"), List.of("900000,z,1,fine", "900001,c77777,1,second"));
        try (StorageNode node = Imports.open(directory.resolve("store"))) {
            BadInputException refused = assertThrows(
                    BadInputException.class,
                    () -> Imports.run(node, THINGS, how(mode, ConflictPolicy.ERROR), one, two));
            String message = String.valueOf(refused.getMessage());
            assertTrue(message.contains("index by_code"), message);
            assertTrue(message.contains(one + ", line 77778 (byte "), message);
            assertTrue(message.contains(two + ", line 2 (byte 16): code = c77777, id = 900001"), message);
            assertEquals(List.of(), node.tables());
        }
        assertEquals(List.of(), Imports.leftBehind(directory.resolve("store")));
    }

    @ParameterizedTest
    @EnumSource(Mode.class)
    void capturedRowsAreInTheBundleWithBadOnesInTheOrderOfTheInput(Mode mode) throws IOException {
        Path input = Files.write(
                directory.resolve("input.csv"),
                List.of("1,a,1,A", "2,b,bad,B", "\"1\",c,1,\"two\nlines\"", "4,d,4,D", "5,a,5,E", "1,a,1,A"));
        Path bundle = directory.resolve("bundle");
        ImportReport report =
                imported(How.USUAL.mode(mode).allowing(1, bundle).onConflict(ConflictPolicy.CAPTURE), input);
        assertEquals("succeeded_with_rejects", report.outcome().state());
        assertEquals(1, report.rows().rejected());
        assertEquals(2, report.rows().dropped());
        assertEquals(2, report.rows().imported());
        assertEquals(6, report.rows().read());
        assertEquals("2,b,bad,B\n\"1\",c,1,\"two\nlines\"\n5,a,5,E\n", Files.readString(bundle.resolve("rejects.csv")));
        List<String> lines = Files.readAllLines(bundle.resolve("rejects.jsonl"));
        assertEquals(3, lines.size());
        JsonNode second = JSON.readTree(lines.get(1));
        assertEquals("conflict", second.get("code").asText());
        assertEquals(3, second.get("line").asInt());
        assertEquals("primary", second.get("index").asText());
        assertEquals("id = 1", second.get("key").asText());
        assertEquals(1, second.get("other").get("line").asInt());
        assertEquals(0, second.get("other").get("byte").asInt());
        JsonNode third = JSON.readTree(lines.get(2));
        assertEquals(6, third.get("line").asInt(), "quoted newlines count");
        assertEquals("by_code", third.get("index").asText());
        assertEquals("code = a", third.get("key").asText());
        assertEquals(input.toString(), third.get("other").get("file").asText());
    }

    /** Rows whose KVs differ in none of the families that both have are different rows all the same. */
    @ParameterizedTest
    @EnumSource(Mode.class)
    void rowsThatDifferInOneFamilyAreInConflict(Mode mode) throws IOException {
        things = Imports.table("CREATE TABLE things (id INT8 PRIMARY KEY, code STRING, place INT4, note STRING,"
                + " UNIQUE INDEX by_code (code) STORING (place), FAMILY (id, code), FAMILY (place), FAMILY (note))");
        Path one = Files.write(directory.resolve("one.csv"), List.of("1,a,,", "2,b,7,", "3,c,7,x"));
        Path two = Files.write(directory.resolve("two.csv"), List.of("2,b,,y", "3,c,7,x", "1,a,5,"));
        BadInputException refused = assertThrows(
                BadInputException.class, () -> Imports.run(imports, things, how(mode, ConflictPolicy.ERROR), one, two));
        String message = String.valueOf(refused.getMessage());
        assertTrue(message.contains(one + ", line 2 (byte 6)"), message);
        assertTrue(message.contains(two + ", line 1 (byte 0): id = 2"), message);
        ImportReport first = imported(how(mode, ConflictPolicy.FIRST), one, two);
        assertEquals(2, first.rows().dropped());
        assertEquals(1, first.rows().duplicates());
        assertEquals(3, first.rows().imported());
        assertEquals(imported(How.USUAL, one).digest(), first.digest());
        ImportReport last = imported(how(mode, ConflictPolicy.LAST), one, two);
        assertEquals(2, last.rows().dropped());
        assertEquals(imported(How.USUAL, two).digest(), last.digest());
    }

    @Test
    void nullsNeverConflictAndTheSameRowTwiceIsADuplicate() throws IOException {
        Path[] files =
                write(List.of(new Thing(1, null, 1, "A"), new Thing(2, null, 1, "B"), new Thing(2, null, 1, "B")), 2);
        ImportReport report = imported(how(Mode.MERGE, ConflictPolicy.ERROR), files);
        assertEquals(2, report.rows().imported());
        assertEquals(1, report.rows().duplicates());
        assertEquals(0, report.rows().dropped());
    }

    private How how(Mode mode, ConflictPolicy policy) {
        How how = How.USUAL.mode(mode).onConflict(policy);
        return policy == ConflictPolicy.CAPTURE ? how.allowing(0, directory.resolve("rejects-" + inputs++)) : how;
    }

    private ImportReport imported(How how, Path... files) {
        ImportReport report = Imports.run(imports, things, how, files);
        imports.drop(THINGS.name());
        assertEquals(List.of(), Imports.leftBehind(shared.resolve("store")));
        return report;
    }

    private String digestOf(List<Thing> rows) throws IOException {
        List<String> lines = new ArrayList<>(rows.stream().map(Thing::line).toList());
        lines.add(things.families() + " families");
        String known = DIGESTS.get(lines);
        if (known == null) {
            known = String.valueOf(imported(How.USUAL, write(rows, 1)).digest());
            DIGESTS.put(lines, known);
        }
        return known;
    }

    static List<Thing> things(Random random) {
        List<Thing> rows = new ArrayList<>();
        int count = 1 + random.nextInt(60);
        for (int i = 0; i < count; i++) {
            String code = random.nextInt(4) == 0 ? null : "c" + random.nextInt(count);
            rows.add(new Thing(random.nextInt(count), code, random.nextInt(3), "n" + random.nextInt(3)));
            if (random.nextInt(5) == 0) {
                rows.add(rows.get(random.nextInt(rows.size())));
            }
        }
        return rows;
    }

    private Path[] write(List<Thing> rows, int files) throws IOException {
        Path[] paths = new Path[files];
        inputs++;
        for (int file = 0; file < files; file++) {
            List<Thing> part = rows.subList(rows.size() * file / files, rows.size() * (file + 1) / files);
            Path path = directory.resolve("things-" + inputs + "-" + file + "-of-" + files + ".csv");
            paths[file] = Files.write(path, part.stream().map(Thing::line).toList());
        }
        return paths;
    }
}
