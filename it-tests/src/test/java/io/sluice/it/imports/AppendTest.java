package io.sluice.it.imports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.TableStatus;
import io.sluice.importer.conflict.ConflictPolicy;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.job.ImportEvents;
import io.sluice.importer.job.ImportJob;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.ImportReport;
import io.sluice.importer.job.ImportSettings;
import io.sluice.importer.source.InputFiles;
import io.sluice.importer.sst.SstFormat;
import io.sluice.it.imports.ConflictModel.Thing;
import io.sluice.it.support.Imports;
import io.sluice.it.support.Imports.How;
import io.sluice.it.support.Seeds;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.schema.TableDef;
import io.sluice.node.NodeSettings;
import io.sluice.node.StorageNode;
import io.sluice.node.ingest.FaultPoints;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** An append under each conflict policy: the table's rows before and after it enters. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class AppendTest {
    private static final TableDef THINGS = Imports.table(ConflictModel.SQL);

    /** The table of the current run, in one column family or in several. */
    private TableDef things = THINGS;

    private static final int RUNS = 15;
    private static final long SEED = Seeds.of(AppendTest.class);

    @TempDir
    static Path shared;

    /** The node of the tables that others are to equal. */
    private static StorageNode models;

    @TempDir
    Path directory;

    private int files;

    @BeforeAll
    static void open() {
        models = Imports.open(shared.resolve("models"));
    }

    @AfterAll
    static void close() {
        models.close();
    }

    @ParameterizedTest
    @EnumSource(ConflictPolicy.class)
    void tableEqualsTheRowByRowModel(ConflictPolicy policy) throws IOException {
        try (StorageNode node = Imports.open(directory.resolve("store"))) {
            for (int run = 0; run < RUNS; run++) {
                long seed = SEED + run;
                String context = "seed " + seed;
                things = ConflictModel.table(run);
                Random random = new Random(seed);
                List<Thing> before =
                        ConflictModel.survivors(List.of(), ConflictsTest.things(random), ConflictPolicy.FIRST);
                List<Thing> rows = ConflictsTest.things(random);
                Imports.run(node, things, How.USUAL, write(before));
                String digest = node.digest("things").digest();
                How how = How.USUAL.appending().onConflict(policy).allowing(0, directory.resolve("rejects-" + run));
                if (policy == ConflictPolicy.ERROR && ConflictModel.conflicting(before, rows)) {
                    assertThrows(BadInputException.class, () -> Imports.run(node, things, how, write(rows)), context);
                    assertEquals(digest, node.digest("things").digest(), context);
                    assertEquals(List.of(), Imports.leftBehind(directory.resolve("store")));
                    node.drop("things");
                    continue;
                }
                List<Thing> kept = ConflictModel.survivors(before, rows, policy);
                ImportReport report = Imports.run(node, things, how, write(rows));
                String expected = digestOf(kept);
                assertEquals(expected, node.digest("things").digest(), context);
                assertEquals(expected, report.digest(), context);
                TableStatus status = Objects.requireNonNull(node.table("things"));
                assertEquals(node.digest("things").indexes(), status.imported(), context);
                assertEquals(kept.size(), status.rows(), context);
                assertEquals(rows.size(), report.rows().read(), context);
                node.drop("things");
            }
        }
    }

    @Test
    void existingRowsChangeNothing() throws IOException {
        existingRowsChangeNothing(THINGS);
    }

    @Test
    void existingRowsInSeveralFamiliesChangeNothing() throws IOException {
        existingRowsChangeNothing(Imports.table(ConflictModel.IN_FAMILIES));
    }

    private void existingRowsChangeNothing(TableDef table) throws IOException {
        things = table;
        List<Thing> rows =
                ConflictModel.survivors(List.of(), ConflictsTest.things(new Random(SEED)), ConflictPolicy.FIRST);
        try (StorageNode node = Imports.open(directory.resolve("store"))) {
            Imports.run(node, things, How.USUAL, write(rows.subList(0, rows.size() / 2)));
            ImportReport once = Imports.run(node, things, How.USUAL.appending(), write(rows));
            assertEquals(rows.size() - rows.size() / 2, once.rows().imported());
            assertEquals(rows.size() / 2, once.rows().duplicates());
            ImportReport twice = Imports.run(node, things, How.USUAL.appending(), write(rows));
            assertEquals(0, twice.rows().imported());
            assertEquals(digestOf(rows), node.digest("things").digest());
            assertEquals(once.digest(), twice.digest());
        }
    }

    /** A build without column families has imported it: its rows stay as they are, and so are those that are added. */
    @Test
    void tableOfABuildWithoutFamiliesKeepsOne() throws IOException {
        Path had = write(List.of(new Thing(1, "a", 7, "old")));
        Path comes = write(List.of(new Thing(2, "b", 1, "new")));
        try (StorageNode node = Imports.open(directory.resolve("store"))) {
            Imports.run(node, THINGS, How.USUAL, had);
            Imports.run(node, Imports.table(ConflictModel.IN_FAMILIES), How.USUAL.appending(), comes);
            assertEquals(
                    1,
                    Objects.requireNonNull(node.table("things")).table().def().families());
            assertEquals(Arrays.asList("2", "b", "1", "new"), node.get("things", List.of("2")));
            assertEquals(
                    digestOf(List.of(new Thing(1, "a", 7, "old"), new Thing(2, "b", 1, "new"))),
                    node.digest("things").digest());
        }
    }

    @Test
    void errorNamesBothConflictingRows() throws IOException {
        try (StorageNode node = Imports.open(directory.resolve("store"))) {
            Imports.run(node, THINGS, How.USUAL, write(List.of(new Thing(1, "a", 7, "old"))));
            Path input = write(List.of(new Thing(2, "b", 1, "new"), new Thing(3, "a", 1, "new")));
            BadInputException refused = assertThrows(
                    BadInputException.class, () -> Imports.run(node, THINGS, How.USUAL.appending(), input));
            String message = String.valueOf(refused.getMessage());
            assertTrue(message.contains("index by_code"), message);
            assertTrue(message.contains(input + ", line 2 (byte 10)"), message);
            assertTrue(message.contains("table things: id = 1, code = a, place = 7, note = old"), message);
        }
    }

    @Test
    void appendWithAnotherSchemaIsRefused() throws IOException {
        try (StorageNode node = Imports.open(directory.resolve("store"))) {
            Path input = write(List.of(new Thing(1, "a", 7, "old")));
            assertTells(node, THINGS, How.USUAL.appending(), input, "there is no table things to add to");
            Imports.run(node, THINGS, How.USUAL, input);
            assertTells(node, THINGS, How.USUAL, input, "--append");
            TableDef other = Imports.table(ConflictModel.SQL.replace("place INT4", "place INT8"));
            assertTells(node, other, How.USUAL.appending(), input, "these differ: column place");
            assertTells(node, THINGS, How.USUAL.appending().direct(), input, "mode merge only");
            TableDef keyless = Imports.table("CREATE TABLE loose (a INT8)");
            Path numbers = Files.write(directory.resolve("numbers.csv"), List.of("1", "2"));
            Imports.run(node, keyless, How.USUAL, numbers);
            assertTells(node, keyless, How.USUAL.appending(), numbers, "no primary key");
        }
    }

    @Test
    void tableIsUnchangedUntilAllRowsEnter() throws IOException {
        List<String> before = new ArrayList<>();
        List<String> rows = new ArrayList<>();
        for (int i = 0; i < 40_000; i++) {
            (i % 2 == 0 ? before : rows).add(i + ",c" + i + "," + i % 5 + ",note " + i);
        }
        Path had = Files.write(directory.resolve("had.csv"), before);
        Path comes = Files.write(directory.resolve("comes.csv"), rows);
        String whole;
        try (StorageNode node = Imports.open(directory.resolve("both"))) {
            whole = String.valueOf(
                    Imports.run(node, THINGS, How.USUAL, had, comes).digest());
        }
        List<String> seen = new CopyOnWriteArrayList<>();
        AtomicReference<StorageNode> reading = new AtomicReference<>();
        FaultPoints looks = point -> {
            StorageNode node = reading.get();
            if (node != null && !point.equals(FaultPoints.MERGE)) {
                seen.add(point + " " + node.digest("things").digest());
            }
        };
        try (StorageNode node = StorageNode.open(
                directory.resolve("store"), NodeSettings.defaults().withFaults(looks))) {
            String old =
                    String.valueOf(Imports.run(node, THINGS, How.USUAL, had).digest());
            reading.set(node);
            Imports.run(node, THINGS, How.USUAL.appending(), comes);
            reading.set(null);
            assertEquals(whole, node.digest("things").digest());
            assertTrue(seen.contains(FaultPoints.SHIPPED + " " + old), seen.toString());
            assertTrue(seen.contains(FaultPoints.INTENT + " " + old), seen.toString());
            assertTrue(seen.contains(FaultPoints.INGESTED + " " + whole), seen.toString());
            assertTrue(seen.stream().allMatch(each -> each.endsWith(old) || each.endsWith(whole)), seen.toString());
        }
    }

    /** With {@code --verify full}: what waits to be added, and what the table has, is read before it is published. */
    @ParameterizedTest
    @ValueSource(strings = {"staging", "db"})
    void damageIsFoundBeforeAnythingIsPublished(String damaged) throws Exception {
        Path store = directory.resolve("store");
        List<String> had = new ArrayList<>();
        List<String> comes = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            (i < 10_000 ? had : comes).add(i + ",c" + i + "," + i % 5 + ",note " + i);
        }
        try (StorageNode node = Imports.open(store)) {
            Imports.run(node, THINGS, How.USUAL, Files.write(directory.resolve("had.csv"), had));
            List<IndexChecksum> before =
                    Objects.requireNonNull(node.table("things")).imported();
            ImportEvents damaging = new ImportEvents() {
                @Override
                public void entered(ImportProgress.Phase phase) {
                    if (phase == ImportProgress.Phase.VERIFY) {
                        VerificationTest.damageLargestSst(store.resolve(damaged));
                    }
                }
            };
            ImportSettings settings = new ImportSettings(
                    InputFormat.DEFAULT,
                    new ImportSettings.Resources(
                            Files.createDirectory(directory.resolve("work")), ImportSettings.MIN_MEMORY_BYTES, 2, 0),
                    ImportSettings.Rejects.NONE,
                    ImportSettings.Mode.MERGE,
                    ConflictPolicy.ERROR,
                    true,
                    ImportSettings.Verification.FULL,
                    SstFormat.Writer.JAVA);
            Path input = Files.write(directory.resolve("comes.csv"), comes);
            ImportJob job = new ImportJob(
                            node, THINGS, InputFiles.resolve(List.of(input.toString())), settings, new ImportProgress())
                    .observedBy(damaging);
            assertThrows(OperationFailedException.class, job::run);
            assertEquals(before, Objects.requireNonNull(node.table("things")).imported());
        }
        assertEquals(List.of(), Imports.leftBehind(store));
    }

    /**
     * A failure after the ingest cannot be undone. Closing the import publishes the ingested rows, and the import
     * succeeds with a warning.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                FaultPoints.SHIPPED,
                FaultPoints.BEFORE_PUBLISH,
                FaultPoints.INTENT,
                FaultPoints.INGESTED,
                FaultPoints.PUBLISHED
            })
    void failureAtAnyStepLeavesAllRowsOrNone(String point) throws IOException {
        List<Thing> had = List.of(new Thing(1, "a", 1, "A"), new Thing(2, "b", 1, "B"));
        List<Thing> comes = List.of(new Thing(2, "x", 1, "new"), new Thing(3, "a", 2, "new"), new Thing(4, "z", 1, ""));
        AtomicReference<String> failing = new AtomicReference<>("");
        FaultPoints faults = reached -> {
            if (reached.equals(failing.get())) {
                throw new OperationFailedException("failed at " + reached);
            }
        };
        Path store = directory.resolve("store");
        List<String> allowed =
                List.of(digestOf(had), digestOf(ConflictModel.survivors(had, comes, ConflictPolicy.LAST)));
        boolean in = point.equals(FaultPoints.INGESTED) || point.equals(FaultPoints.PUBLISHED);
        How how = How.USUAL.appending().onConflict(ConflictPolicy.LAST);
        try (StorageNode node = StorageNode.open(store, NodeSettings.defaults().withFaults(faults))) {
            Imports.run(node, THINGS, How.USUAL, write(had));
            failing.set(point);
            Path input = write(comes);
            if (in) {
                ImportReport report = Imports.run(node, THINGS, how, input);
                assertEquals(1, report.outcome().warnings().size(), report.toString());
                assertTrue(report.outcome().warnings().get(0).contains("failed at " + point), report.toString());
            } else {
                assertThrows(OperationFailedException.class, () -> Imports.run(node, THINGS, how, input));
            }
            failing.set("");
            assertEquals(allowed.get(in ? 1 : 0), node.digest("things").digest());
            TableStatus status = Objects.requireNonNull(node.table("things"));
            assertEquals(node.digest("things").indexes(), status.imported());
        }
        assertEquals(List.of(), Imports.leftBehind(store));
        try (StorageNode node = Imports.open(store)) {
            assertEquals(List.of(), node.recovered());
            Imports.run(node, THINGS, how, write(comes));
            assertEquals(allowed.get(1), node.digest("things").digest());
        }
    }

    private static void assertTells(StorageNode node, TableDef table, How how, Path input, String part) {
        BadInputException refused = assertThrows(BadInputException.class, () -> Imports.run(node, table, how, input));
        assertTrue(String.valueOf(refused.getMessage()).contains(part), refused.getMessage());
    }

    private String digestOf(List<Thing> rows) throws IOException {
        String digest = String.valueOf(
                Imports.run(models, things, How.USUAL, write(rows)).digest());
        models.drop("things");
        return digest;
    }

    private Path write(List<Thing> rows) throws IOException {
        List<String> lines = new ArrayList<>(rows.stream().map(Thing::line).toList());
        return Files.write(directory.resolve("things-" + files++ + ".csv"), lines);
    }
}
