package io.sluice.it.imports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.ImportSession;
import io.sluice.api.node.NodeClient;
import io.sluice.importer.bundle.BundleSettings;
import io.sluice.importer.decode.RejectLimit;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.job.ImportControl;
import io.sluice.importer.job.ImportEvents;
import io.sluice.importer.job.ImportJob;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.ImportReport;
import io.sluice.importer.job.ImportSettings;
import io.sluice.importer.job.ImportSettings.Mode;
import io.sluice.importer.job.ImportSettings.Verification;
import io.sluice.importer.source.InputFiles;
import io.sluice.it.support.Imports;
import io.sluice.it.support.Imports.How;
import io.sluice.it.support.Seeds;
import io.sluice.it.support.Stock;
import io.sluice.it.support.StockParquet;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.ImportPausedException;
import io.sluice.model.schema.TableDef;
import io.sluice.node.StorageNode;
import io.sluice.sampler.SampledPlanner;
import io.sluice.testing.SomeTests;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An import that broke off goes on where it was: it reads what was not noted, and makes the table of one that did not.
 */
@SuppressWarnings("NullAway.Init") // made before all tests
@SomeTests(4)
class ResumedImportTest {
    private static final int ROWS = 30_000;
    private static final int FILES = 3;
    private static final long SEED = Seeds.of(ResumedImportTest.class);
    private static final int WORKERS = 4;
    /** 64 MB: four checkpoint units of one worker. */
    private static final int LONG_ROWS = 640;

    private static final int LONG_ROW_BYTES = 100_000;
    private static final TableDef TABLE = Imports.table(Stock.SQL);
    private static final UUID JOB = UUID.nameUUIDFromBytes(new byte[] {1});

    @TempDir
    static Path inputs;

    private static List<Path> files;
    private static String digest;

    @TempDir
    Path directory;

    private final List<String> told = new ArrayList<>();

    private InputFormat format = InputFormat.DEFAULT;

    @BeforeAll
    static void importUndisturbed() {
        List<Integer> numbers = Stock.shuffled(ROWS, SEED);
        files = new ArrayList<>();
        for (int i = 0; i < FILES; i++) {
            files.add(Stock.write(
                    inputs.resolve("stock-" + i + ".csv"), numbers.subList(ROWS / FILES * i, ROWS / FILES * (i + 1))));
        }
        digest = String.valueOf(
                Imports.intoNewStore(inputs.resolve("store"), TABLE, How.USUAL, files.toArray(new Path[0]))
                        .digest());
    }

    /** Stands for the end of a killed process. */
    private static final class Killed extends Error {
        private static final long serialVersionUID = 1;
    }

    /** Breaks an import off when a point was reached so many times. */
    private final class Observer implements ImportEvents {
        private final String point;
        private final AtomicInteger left;

        Observer(String point, int times) {
            this.point = point;
            left = new AtomicInteger(times);
        }

        @Override
        public void reached(String reached) {
            if (reached.equals(point) && left.decrementAndGet() == 0) {
                throw new Killed();
            }
        }

        @Override
        public void tell(String sentence) {
            told.add(sentence);
        }
    }

    /** A node whose sessions ignore undo, as a killed process undoes nothing. */
    private static NodeClient withoutUndo(NodeClient node) {
        return proxy(NodeClient.class, (method, arguments) -> {
            Object result = call(method, node, arguments);
            return result instanceof ImportSession session
                    ? proxy(
                            ImportSession.class,
                            (step, values) -> step.getName().equals("close") ? null : call(step, session, values))
                    : result;
        });
    }

    private interface Call {
        @Nullable
        Object to(Method method, @Nullable Object[] arguments) throws Throwable;
    }

    private static <T> T proxy(Class<T> type, Call call) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (self, method, values) -> call.to(method, values)));
    }

    private static @Nullable Object call(Method method, Object target, @Nullable Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private ImportJob job(
            NodeClient node, Path work, Mode mode, List<Path> from, Observer observer, @Nullable Path bundle) {
        ImportSettings settings = new ImportSettings(
                format,
                new ImportSettings.Resources(work, ImportSettings.MIN_MEMORY_BYTES, WORKERS, 0),
                new ImportSettings.Rejects(
                        bundle == null ? RejectLimit.NONE : RejectLimit.UNLIMITED,
                        bundle == null ? null : new BundleSettings(bundle, Stock.SQL, "test")),
                mode,
                Verification.SUMS);
        List<String> arguments = from.stream().map(Path::toString).toList();
        SampledPlanner planner = new SampledPlanner(TABLE.indexes().size(), SEED);
        return new ImportJob(node, TABLE, InputFiles.resolve(arguments), settings, new ImportProgress(), JOB, planner)
                .observedBy(observer)
                .journaledIn(journal());
    }

    private Path journal() {
        return directory.resolve("journal");
    }

    private void breakOff(NodeClient node, Mode mode, List<Path> from, String point, int times, @Nullable Path bundle) {
        ImportJob job = job(withoutUndo(node), work(), mode, from, new Observer(point, times), bundle);
        Throwable failure = assertThrows(Throwable.class, job::run);
        assertTrue(
                failure instanceof Killed || failure.getCause() instanceof Killed,
                () -> point + " was not reached: " + failure);
    }

    private ImportReport goOn(NodeClient node, Mode mode, List<Path> from, @Nullable Path bundle)
            throws InterruptedException {
        return job(node, work(), mode, from, new Observer("", 0), bundle).run();
    }

    private Path work() {
        try {
            return Files.createTempDirectory(directory, "work-");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "DIRECT,import-begun,1",
        "TWO_PASS,import-begun,1",
        "DIRECT,import-described,1",
        "DIRECT,import-flushed,1",
        "DIRECT,import-delivered,1",
        "DIRECT,import-noted,1",
        "DIRECT,import-read,1",
        "DIRECT,import-verified,1",
        "DIRECT,import-finished,1",
        "TWO_PASS,import-flushed,1",
        "TWO_PASS,import-noted,1",
        "TWO_PASS,import-read,1",
        "TWO_PASS,import-finished,1",
        "MERGE,import-finished,1"
    })
    void tableEqualsThatOfAnUninterruptedImport(Mode mode, String point, int times) throws Exception {
        Path store = directory.resolve("store");
        try (StorageNode node = Imports.open(store)) {
            breakOff(node, mode, files, point, times, null);
        }
        try (StorageNode node = Imports.open(store)) {
            ImportReport report = goOn(node, mode, files, null);
            assertEquals(digest, report.digest(), report.toString());
            assertEquals(ROWS, report.rows().read(), report.toString());
            assertEquals(0, report.rows().duplicates(), report.toString());
            assertEquals(digest, node.digest("stock").digest());
        }
        assertEquals(List.of(), Imports.leftBehind(store));
        assertFalse(Files.exists(journal()));
    }

    /** Broken off in the middle, and again while what was left is brought on its way. */
    @ParameterizedTest
    @EnumSource(
            value = Mode.class,
            names = {"DIRECT", "TWO_PASS"})
    void journaledInputIsNotReadAgain(Mode mode) throws Exception {
        try (StorageNode node = Imports.open(directory.resolve("store"))) {
            breakOff(node, mode, files, ImportEvents.FLUSHED, 1, null);
            breakOff(node, mode, files, ImportEvents.FLUSHED, 1, null);
            breakOff(node, mode, files, ImportEvents.FLUSHED, 1, null);
            ImportReport report = goOn(node, mode, files, null);
            assertEquals(digest, report.digest(), report.toString());
            assertEquals(ROWS, report.rows().read(), report.toString());
            String last = told.get(told.size() - 1);
            assertTrue(
                    last.matches(".* [1-9]\\d* rows were done before, [1-9]\\d* of them .* journal"), told.toString());
        }
    }

    /** Whatever became of the journal: what is not in it any more is read again. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void validPrefixOfAJournalIsUsed(int damage) throws Exception {
        Random random = new Random(SEED + damage);
        try (StorageNode node = Imports.open(directory.resolve("store"))) {
            breakOff(node, Mode.DIRECT, files, ImportEvents.FLUSHED, 1, null);
            try (Stream<Path> journaled = Files.list(journal())) {
                for (Path file : journaled.sorted().toList()) {
                    byte[] bytes = Files.readAllBytes(file);
                    if (random.nextBoolean()) {
                        bytes = Arrays.copyOf(bytes, random.nextInt(bytes.length + 1));
                    } else if (bytes.length > 0) {
                        bytes[random.nextInt(bytes.length)] ^= 1;
                    }
                    Files.write(file, bytes);
                }
            }
            ImportReport report = goOn(node, Mode.DIRECT, files, null);
            assertEquals(digest, report.digest(), report.toString());
            assertEquals(ROWS, report.rows().read(), report.toString());
        }
    }

    /** The same import into a store that has never heard of it, or not of its inputs: they may be others. */
    @ParameterizedTest
    @ValueSource(strings = {"", ImportEvents.BEGUN, ImportEvents.DESCRIBED})
    void journalOfAnUnknownImportIsDeleted(String brokenOffAt) throws Exception {
        try (StorageNode node = Imports.open(directory.resolve("lost"))) {
            breakOff(node, Mode.DIRECT, files.subList(0, 2), ImportEvents.FLUSHED, 1, null);
        }
        assertTrue(Files.exists(journal()));
        try (StorageNode node = Imports.open(directory.resolve("store"))) {
            if (!brokenOffAt.isEmpty()) {
                breakOff(node, Mode.DIRECT, files, brokenOffAt, 1, null);
            }
            ImportReport report = goOn(node, Mode.DIRECT, files, null);
            assertEquals(digest, report.digest(), report.toString());
            assertEquals(ROWS, report.rows().read(), report.toString());
            assertFalse(told.toString().contains("journal"), told.toString());
        }
    }

    @Test
    void recordedInputIsNotReadAgain() throws Exception {
        try (StorageNode node = Imports.open(directory.resolve("store"))) {
            breakOff(node, Mode.DIRECT, files, ImportEvents.READ, 1, null);
            goOn(node, Mode.DIRECT, files, null);
            assertTrue(told.get(told.size() - 1).contains(ROWS + " rows"), told.toString());
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Mode.class,
            names = {"DIRECT", "TWO_PASS"})
    void aJobThatIsFinishedSaysSo(Mode mode) throws Exception {
        try (StorageNode node = Imports.open(directory.resolve("store"))) {
            ImportReport first = goOn(node, mode, files, null);
            ImportJob again = job(node, work(), mode, files, new Observer("", 0), null);
            ImportReport second = again.run();
            assertTrue(again.wasFinishedBefore());
            assertEquals(first.digest(), second.digest());
            assertEquals(first.kvs(), second.kvs());
        }
    }

    @Test
    void otherInputsAreRefusedAndTheRightOnesStillWork() throws Exception {
        try (StorageNode node = Imports.open(directory.resolve("store"))) {
            breakOff(node, Mode.DIRECT, files, ImportEvents.NOTED, 1, null);
            BadInputException fewer =
                    assertThrows(BadInputException.class, () -> goOn(node, Mode.DIRECT, files.subList(0, 2), null));
            assertTrue(String.valueOf(fewer.getMessage()).contains("3 inputs and are 2"), fewer.getMessage());
            Path copy = Files.copy(files.get(1), directory.resolve("copy.csv"));
            Files.writeString(copy, Stock.line(ROWS) + "\n", StandardOpenOption.APPEND);
            BadInputException other = assertThrows(
                    BadInputException.class,
                    () -> goOn(node, Mode.DIRECT, List.of(files.get(0), copy, files.get(2)), null));
            assertTrue(String.valueOf(other.getMessage()).contains("input 2: was "), other.getMessage());
            assertEquals(digest, goOn(node, Mode.DIRECT, files, null).digest());
        }
    }

    @Test
    void anInputThatChangedIsNamed() throws Exception {
        Path changing = Files.copy(files.get(0), directory.resolve("changing.csv"));
        try (StorageNode node = Imports.open(directory.resolve("store"))) {
            breakOff(node, Mode.DIRECT, List.of(changing), ImportEvents.NOTED, 1, null);
            Files.writeString(changing, Stock.line(ROWS) + "\n", StandardOpenOption.APPEND);
            BadInputException refused =
                    assertThrows(BadInputException.class, () -> goOn(node, Mode.DIRECT, List.of(changing), null));
            assertTrue(String.valueOf(refused.getMessage()).contains("changing.csv had "), refused.getMessage());
        }
    }

    @Test
    void rowsThatCameTwiceAreFoundAcrossAttempts() throws Exception {
        List<Path> twice = new ArrayList<>(files);
        twice.add(Stock.write(directory.resolve("again.csv"), Stock.numbers(500)));
        try (StorageNode node = Imports.open(directory.resolve("store"))) {
            breakOff(node, Mode.DIRECT, twice, ImportEvents.NOTED, 1, null);
            ImportReport report = goOn(node, Mode.DIRECT, twice, null);
            assertEquals(digest, report.digest(), report.toString());
            assertEquals(500, report.rows().duplicates(), report.toString());
        }
    }

    @ParameterizedTest
    @CsvSource({"import-flushed,1", "import-delivered,1", "import-noted,1", "import-read,1", "import-finished,1"})
    void rejectsOfAllAttemptsAreInTheBundleOnce(String point, int times) throws Exception {
        List<Path> bad = new ArrayList<>();
        int rejects = 0;
        for (Path file : files) {
            List<String> lines = new ArrayList<>(Files.readAllLines(file));
            for (int i = 100; i < lines.size(); i += 1_000) {
                lines.set(i, "bad," + i);
                rejects++;
            }
            bad.add(Files.write(directory.resolve("bad-" + file.getFileName()), lines));
        }
        Path whole = directory.resolve("whole");
        Path resumed = directory.resolve("resumed");
        try (StorageNode node = Imports.open(directory.resolve("one"))) {
            goOn(node, Mode.DIRECT, bad, whole);
        }
        try (StorageNode node = Imports.open(directory.resolve("other"))) {
            breakOff(node, Mode.DIRECT, bad, point, times, resumed);
            ImportReport report = goOn(node, Mode.DIRECT, bad, resumed);
            assertEquals(rejects, report.rows().rejected(), report.toString());
            assertEquals(ROWS, report.rows().read(), report.toString());
        }
        assertEquals(sorted(whole.resolve("rejects.csv")), sorted(resumed.resolve("rejects.csv")));
        assertEquals(places(whole), places(resumed));
        String manifest = Files.readString(resumed.resolve("manifest.json"));
        assertTrue(manifest.contains("\"rejects\" : " + rejects), manifest);
        assertTrue(manifest.contains("imported") && !manifest.contains("open"), manifest);
        assertNotNull(Files.readString(resumed.resolve("rejects.jsonl")));
    }

    /** Row groups that are done are not read again, and rejects keep the numbers of their rows in the file. */
    @ParameterizedTest
    @CsvSource({"import-flushed,1", "import-flushed,3", "import-noted,1", "import-read,6"})
    void rowGroupsThatAreDoneAreNotReadAgain(String point, int breaks) throws Exception {
        format = InputFormat.Avro.containers(false);
        List<Integer> numbers = Stock.shuffled(ROWS, SEED);
        List<Path> parquet = List.of(StockParquet.write(directory.resolve("stock.parquet"), numbers, 20, 3_000));
        Path whole = directory.resolve("whole");
        Path resumed = directory.resolve("resumed");
        String expected;
        try (StorageNode node = Imports.open(directory.resolve("one"))) {
            expected = goOn(node, Mode.DIRECT, parquet, whole).digest();
        }
        try (StorageNode node = Imports.open(directory.resolve("other"))) {
            for (int i = 0; i < breaks; i++) {
                breakOff(node, Mode.DIRECT, parquet, point, 1, resumed);
            }
            ImportReport report = goOn(node, Mode.DIRECT, parquet, resumed);
            assertEquals(expected, report.digest(), report.toString());
            assertEquals(ROWS, report.rows().read(), report.toString());
            assertEquals(0, report.rows().duplicates(), report.toString());
            String last = told.get(told.size() - 1);
            assertTrue(last.matches(".* [1-9]\\d* rows.*"), told.toString());
        }
        assertEquals(places(whole), places(resumed));
        List<String> places = places(resumed);
        assertEquals(ROWS / 3_000, places.size());
        for (int i = 0; i < ROWS; i += 3_000) {
            String line = "\"line\":" + (numbers.indexOf(i) + 1) + ",";
            assertTrue(places.stream().anyMatch(place -> place.contains(line)), line + " is not in " + places);
        }
    }

    /**
     * Each run reads the rest of the second input, and stops at its first record; the first input is done since long.
     */
    @Test
    void eachRunBeginsWhereTheLastOneStopped() throws Exception {
        TableDef table = Imports.table("CREATE TABLE t (id INT8 PRIMARY KEY, v STRING);");
        List<String> lines = new ArrayList<>();
        for (int i = 1; i <= LONG_ROWS; i++) {
            lines.add(i + "," + "x".repeat(LONG_ROW_BYTES));
        }
        List<String> two = List.of(
                Files.writeString(directory.resolve("short.csv"), "0,x\n").toString(),
                Files.write(directory.resolve("long.csv"), lines).toString());
        ImportSettings settings = new ImportSettings(
                format,
                new ImportSettings.Resources(work(), ImportSettings.MIN_MEMORY_BYTES, 1, 0),
                ImportSettings.Rejects.NONE,
                Mode.DIRECT,
                Verification.SUMS);
        try (StorageNode node = Imports.open(directory.resolve("store"))) {
            long doneBefore = -1;
            ImportReport report = null;
            while (report == null) {
                ImportControl control = new ImportControl();
                ImportProgress progress = new ImportProgress();
                ImportJob job = new ImportJob(node, table, InputFiles.resolve(two), settings, progress, JOB, null)
                        .controlledBy(control)
                        .observedBy(new ImportEvents() {
                            @Override
                            public void reached(String point) {
                                if (point.equals(NOTED)) {
                                    control.pause();
                                }
                            }
                        });
                try {
                    report = job.run();
                } catch (ImportPausedException e) {
                    assertTrue(progress.bytesBefore() > doneBefore, "nothing was added to " + doneBefore + " bytes");
                    doneBefore = progress.bytesBefore();
                }
            }
            assertEquals(LONG_ROWS + 1, report.rows().imported(), report.toString());
        }
    }

    private static List<String> sorted(Path file) throws IOException {
        return Files.readAllLines(file).stream().sorted().toList();
    }

    /** Rejects without where in the bundle they lie, which depends on their order. */
    private static List<String> places(Path bundle) throws IOException {
        return Files.readAllLines(bundle.resolve("rejects.jsonl")).stream()
                .map(line -> line.replaceAll("\"offset\":\\d+,", ""))
                .sorted()
                .toList();
    }
}
