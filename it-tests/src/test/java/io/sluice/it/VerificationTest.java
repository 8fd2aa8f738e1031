package io.sluice.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.error.OperationFailedException;
import io.sluice.api.kv.KvSum;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.NodeClient;
import io.sluice.api.node.ShipAnswer;
import io.sluice.api.node.SstFile;
import io.sluice.api.schema.TableDef;
import io.sluice.importer.decode.RejectLimit;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.job.ImportEvents;
import io.sluice.importer.job.ImportJob;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.ImportSettings;
import io.sluice.importer.job.ImportSettings.Mode;
import io.sluice.importer.job.ImportSettings.Verification;
import io.sluice.importer.job.VerificationReport;
import io.sluice.importer.job.VerificationReport.Bucket;
import io.sluice.importer.job.VerificationReport.IndexCheck;
import io.sluice.importer.job.VerificationReport.State;
import io.sluice.importer.source.InputFiles;
import io.sluice.node.StorageNode;
import io.sluice.sampler.SampledPlanner;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is wrong in the store is found before a table is published, with the keys and the inputs that it is about. */
@SuppressWarnings("NullAway.Init") // made before all tests
class VerificationTest {
    private static final int ROWS = 60_000;
    private static final int FILES = 6;
    private static final long SEED = 59;
    private static final TableDef TABLE = Imports.table(Stock.SQL);

    @TempDir
    static Path inputs;

    private static final List<String> NAMES = new ArrayList<>();

    @TempDir
    Path directory;

    @BeforeAll
    static void write() {
        List<Integer> numbers = Stock.numbers(ROWS);
        for (int i = 0; i < FILES; i++) {
            NAMES.add(Stock.write(
                            inputs.resolve("stock-" + i + ".csv"),
                            numbers.subList(ROWS / FILES * i, ROWS / FILES * (i + 1)))
                    .toString());
        }
    }

    private ImportJob job(NodeClient node, Mode mode, Verification verification) throws IOException {
        ImportSettings settings = new ImportSettings(
                InputFormat.DEFAULT,
                Files.createTempDirectory(directory, "work-"),
                ImportSettings.MIN_MEMORY_BYTES,
                4,
                RejectLimit.NONE,
                null,
                verification,
                mode);
        SampledPlanner planner = new SampledPlanner(TABLE.indexes().size(), SEED);
        return new ImportJob(node, TABLE, InputFiles.resolve(NAMES), settings, new ImportProgress(), null, planner);
    }

    private static VerificationReport reportOf(ImportJob job) {
        return Objects.requireNonNull(job.verification());
    }

    private static KvSum sum(List<Bucket> buckets) {
        return buckets.stream().map(Bucket::found).reduce(KvSum.EMPTY, KvSum::plus);
    }

    @ParameterizedTest
    @CsvSource({"MERGE,FULL", "DIRECT,FULL", "TWO_PASS,FULL", "DIRECT,SUMS"})
    void whatIsRightIsShownByBuckets(Mode mode, Verification verification) throws Exception {
        try (StorageNode node = Imports.open(directory.resolve("store"))) {
            ImportJob job = job(node, mode, verification);
            assertNull(job.verification());
            job.run();
            VerificationReport report = reportOf(job);
            assertTrue(report.ok(), report::toString);
            assertEquals(verification == Verification.FULL, report.readBack());
            for (IndexCheck index : report.indexes()) {
                assertEquals(ROWS, index.found().count());
                assertEquals(index.found(), sum(index.buckets()));
                int buckets = index.buckets().size();
                // A small index is one SST, and there is nothing to cut it by.
                boolean primary = index.index().equals(report.indexes().get(0).index());
                boolean several = verification == Verification.FULL && primary;
                assertTrue(
                        several ? buckets > 1 && buckets <= 32 : buckets >= 1, () -> index.index() + " has " + buckets);
                for (int i = 1; i < buckets; i++) {
                    assertEquals(
                            index.buckets().get(i - 1).end(),
                            index.buckets().get(i).start());
                }
            }
        }
    }

    /** Turns bytes in the middle of the largest SST over, when everything is in the tree and nothing was read. */
    private record Damaging(Path store) implements ImportEvents {
        @Override
        public void entered(ImportProgress.Phase phase) {
            if (phase != ImportProgress.Phase.VERIFY) {
                return;
            }
            try (Stream<Path> files = Files.list(store.resolve("db"))) {
                Path largest = files.filter(file -> file.toString().endsWith(".sst"))
                        .max(Comparator.comparingLong(file -> file.toFile().length()))
                        .orElseThrow();
                byte[] bytes = Files.readAllBytes(largest);
                for (int i = bytes.length / 4; i < bytes.length / 4 + 100; i++) {
                    bytes[i] ^= 0x55;
                }
                Files.write(largest, bytes);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }
    }

    @Test
    void aDamagedFileIsNamedByItsKeysAndItsInputs() throws Exception {
        Path store = directory.resolve("store");
        try (StorageNode node = Imports.open(store)) {
            ImportJob job = job(node, Mode.MERGE, Verification.FULL).observedBy(new Damaging(store));
            OperationFailedException failed = assertThrows(OperationFailedException.class, job::run);
            VerificationReport report = reportOf(job);
            List<IndexCheck> failing =
                    report.indexes().stream().filter(index -> !index.ok()).toList();
            assertEquals(1, failing.size(), report::toString);
            IndexCheck index = failing.get(0);
            List<Bucket> bad = index.buckets().stream()
                    .filter(bucket -> bucket.state() != State.OK)
                    .toList();
            assertEquals(1, bad.size(), report::toString);
            Bucket damaged = bad.get(0);
            assertEquals(State.DAMAGED, damaged.state());
            assertNotNull(damaged.problem());
            assertNotNull(damaged.expected());
            assertFalse(damaged.sources().isEmpty());
            // An index of one bucket has rows of all inputs there.
            int most = index.buckets().size() == 1 ? FILES : FILES - 1;
            assertTrue(damaged.sources().size() <= most, damaged::toString);
            assertEquals(ROWS, index.expected().count());
            String message = String.valueOf(failed.getMessage());
            assertTrue(message.contains("index " + index.index()), message);
            assertTrue(message.contains(damaged.start()) && message.contains(damaged.end()), message);
            assertTrue(message.contains(damaged.sources().get(0).name()), message);
            assertNull(node.table("stock"));
        }
    }

    /** A node that says it has taken an SST of an index, and has not. */
    private static NodeClient losingOneOf(NodeClient node, int indexId) {
        AtomicBoolean lost = new AtomicBoolean();
        return proxy(NodeClient.class, (method, arguments) -> {
            Object result = call(method, node, arguments);
            return result instanceof ImportSession session
                    ? proxy(
                            ImportSession.class,
                            (step, values) -> values != null
                                            && values[0] instanceof SstFile sst
                                            && sst.indexId() == indexId
                                            && !lost.getAndSet(true)
                                    ? new ShipAnswer.Taken()
                                    : call(step, session, values))
                    : result;
        });
    }

    private interface Call {
        @Nullable
        Object to(Method method, @Nullable Object @Nullable [] arguments) throws Throwable;
    }

    private static <T> T proxy(Class<T> type, Call call) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (self, method, values) -> call.to(method, values)));
    }

    private static @Nullable Object call(Method method, Object target, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    @ParameterizedTest
    @CsvSource({"DIRECT,FULL", "DIRECT,SUMS", "MERGE,FULL"})
    void whatIsMissingIsFound(Mode mode, Verification verification) throws Exception {
        try (StorageNode node = Imports.open(directory.resolve("store"))) {
            int second = TABLE.indexes().get(1).id();
            ImportJob job = job(losingOneOf(node, second), mode, verification);
            OperationFailedException failed = assertThrows(OperationFailedException.class, job::run);
            VerificationReport report = reportOf(job);
            assertTrue(report.indexes().get(0).ok(), report::toString);
            IndexCheck index = report.indexes().get(1);
            assertFalse(index.ok());
            assertEquals(ROWS, index.expected().count());
            List<Bucket> bad = index.buckets().stream()
                    .filter(bucket -> bucket.state() != State.OK)
                    .toList();
            assertTrue(bad.stream().allMatch(bucket -> bucket.state() == State.MISSING), bad::toString);
            String message = String.valueOf(failed.getMessage());
            assertTrue(message.contains("missing") && message.contains("stock-"), message);
            assertNull(node.table("stock"));
        }
    }
}
