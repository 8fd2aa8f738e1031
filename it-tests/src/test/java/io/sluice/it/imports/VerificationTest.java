package io.sluice.it.imports;

import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.ImportSession;
import io.sluice.api.node.NodeClient;
import io.sluice.api.node.ShipAnswer;
import io.sluice.api.node.SstFile;
import io.sluice.engine.store.SstCursor;
import io.sluice.engine.store.SstWriter;
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
import io.sluice.it.support.Imports;
import io.sluice.it.support.Seeds;
import io.sluice.it.support.Stock;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.kv.IndexDigest;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.schema.Table;
import io.sluice.model.schema.TableDef;
import io.sluice.node.StorageNode;
import io.sluice.sampler.SampledPlanner;
import io.sluice.testing.SomeTests;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Verification finds damage in the store before a table is published, and names the keys and inputs. */
@SuppressWarnings("NullAway.Init") // made before all tests
@SomeTests(4)
class VerificationTest {
    private static final int ROWS = 60_000;
    private static final int FILES = 6;
    private static final long SEED = Seeds.of(VerificationTest.class);
    private static final int ROWS_IN_MEMORY = 20_000;
    /** Some 40 MB, of which the smallest budget keeps less than half. */
    private static final int SPILLED_ROWS = 400_000;

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
                new ImportSettings.Resources(
                        Files.createTempDirectory(directory, "work-"), ImportSettings.MIN_MEMORY_BYTES, 4, 0),
                ImportSettings.Rejects.NONE,
                mode,
                verification);
        SampledPlanner planner = new SampledPlanner(TABLE.indexes().size(), SEED);
        return new ImportJob(node, TABLE, InputFiles.resolve(NAMES), settings, new ImportProgress(), null, planner);
    }

    private static VerificationReport reportOf(ImportJob job) {
        return Objects.requireNonNull(job.verification());
    }

    private static KvChecksum sum(List<Bucket> buckets) {
        return buckets.stream().map(Bucket::found).reduce(KvChecksum.EMPTY, KvChecksum::plus);
    }

    @ParameterizedTest
    @CsvSource({"MERGE,FULL", "DIRECT,FULL", "TWO_PASS,FULL", "DIRECT,SUMS"})
    void correctKeysAreShownByBuckets(Mode mode, Verification verification) throws Exception {
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

    /**
     * Turns bytes in the middle of the largest SST over when a step begins: while files wait in staging, or when
     * everything is in the tree and nothing was read.
     */
    private record Damaging(Path directory, ImportProgress.Phase when) implements ImportEvents {
        @Override
        public void entered(ImportProgress.Phase phase) {
            if (phase != when) {
                return;
            }
            damageLargestSst(directory);
        }
    }

    /** Turns bytes in the middle of the largest SST below a directory over. */
    static void damageLargestSst(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
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

    @ParameterizedTest
    @CsvSource({"db,VERIFY", "staging,INGEST"})
    void aDamagedFileIsNamedByItsKeysAndItsInputs(String where, ImportProgress.Phase when) throws Exception {
        Path store = directory.resolve("store");
        try (StorageNode node = Imports.open(store)) {
            ImportJob job =
                    job(node, Mode.MERGE, Verification.FULL).observedBy(new Damaging(store.resolve(where), when));
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

    @Test
    void theDigestIsTheSameUnderAnotherTableId() throws Exception {
        try (StorageNode node = Imports.open(directory.resolve("store"))) {
            String first = String.valueOf(
                    job(node, Mode.MERGE, Verification.SUMS).run().digest());
            int id = Objects.requireNonNull(node.table("stock")).table().id();
            node.drop("stock");
            assertEquals(first, job(node, Mode.DIRECT, Verification.FULL).run().digest());
            assertEquals(first, node.digest("stock").digest());
            assertTrue(Objects.requireNonNull(node.table("stock")).table().id() > id);
        }
    }

    /** Whatever is shipped becomes something else on its way. */
    private static NodeClient shipping(NodeClient node, Changed changed) {
        return proxy(NodeClient.class, (method, arguments) -> {
            Object result = call(method, node, arguments);
            return result instanceof ImportSession session
                    ? proxy(ImportSession.class, (step, values) -> {
                        if (values != null && values[0] instanceof SstFile sst) {
                            values[0] = changed.of(session.table(), sst);
                        }
                        return call(step, session, values);
                    })
                    : result;
        });
    }

    private interface Changed {
        SstFile of(Table table, SstFile sst) throws IOException;
    }

    private static SstFile declared(SstFile sst, byte[] smallest, byte[] largest, KvChecksum sum) {
        return new SstFile(sst.id(), sst.path(), sst.indexId(), smallest, largest, sst.fileBytes(), sum, sst.samples());
    }

    /** Ways in which a file and its description differ. */
    private enum Damage {
        ENTRIES("KVs and should hold") {
            @Override
            SstFile of(Table table, SstFile sst) {
                KvChecksum more = sst.sum().plus(new KvChecksum(1, 0, 0));
                return declared(sst, sst.smallestKey(), sst.largestKey(), more);
            }
        },
        FIRST_KEY("its first key is") {
            @Override
            SstFile of(Table table, SstFile sst) {
                byte[] below = Arrays.copyOf(sst.smallestKey(), sst.smallestKey().length - 1);
                return declared(sst, below, sst.largestKey(), sst.sum());
            }
        },
        LAST_KEY("its last key is") {
            @Override
            SstFile of(Table table, SstFile sst) {
                byte[] above = Arrays.copyOf(sst.largestKey(), sst.largestKey().length + 1);
                return declared(sst, sst.smallestKey(), above, sst.sum());
            }
        },
        A_BYTE_OF_THE_FILE("block checksum mismatch") {
            @Override
            SstFile of(Table table, SstFile sst) throws IOException {
                try (FileChannel file = FileChannel.open(sst.path(), READ, WRITE)) {
                    flip(file, file.size() / 3);
                }
                return sst;
            }
        },
        /** All checksums agree. */
        AN_ENCODERS_ERROR("is no row") {
            @Override
            SstFile of(Table table, SstFile sst) throws IOException {
                Map<byte[], byte[]> kvs = new TreeMap<>(Arrays::compareUnsigned);
                try (SstCursor cursor = new SstCursor(sst.path())) {
                    for (; cursor.valid(); cursor.next()) {
                        kvs.put(cursor.key(), withTail(cursor.key(), cursor.value()));
                    }
                }
                KvChecksum.Accumulator sum = new KvChecksum.Accumulator(IndexDigest.of(table, sst.indexId() - 1));
                Files.delete(sst.path());
                try (SstWriter writer = new SstWriter(sst.path())) {
                    kvs.forEach((key, value) -> {
                        assertTrue(sum.addIntact(key, value));
                        writer.add(key, value);
                    });
                    writer.finish();
                }
                return new SstFile(
                        sst.id(),
                        sst.path(),
                        sst.indexId(),
                        sst.smallestKey(),
                        sst.largestKey(),
                        Files.size(sst.path()),
                        sum.sum(),
                        sst.samples());
            }
        };

        private final String message;

        Damage(String message) {
            this.message = message;
        }

        abstract SstFile of(Table table, SstFile sst) throws IOException;

        /** A value with a byte too many, and the checksum of that. */
        private static byte[] withTail(byte[] key, byte[] value) {
            byte[] longer = Arrays.copyOf(value, value.length + 1);
            longer[value.length] = 0x0f;
            CRC32 crc = new CRC32();
            crc.update(key);
            crc.update(longer, Integer.BYTES, longer.length - Integer.BYTES);
            ByteBuffer.wrap(longer).putInt(0, (int) crc.getValue());
            return longer;
        }
    }

    private static void flip(FileChannel file, long position) throws IOException {
        ByteBuffer one = ByteBuffer.allocate(1);
        file.read(one, position);
        one.put(0, (byte) (one.get(0) ^ 0x10)).rewind();
        file.write(one, position);
    }

    @ParameterizedTest
    @EnumSource
    void nodeRefusesSstsThatDifferFromTheirDescription(Damage damage) throws Exception {
        for (Mode mode : List.of(Mode.MERGE, Mode.DIRECT)) {
            Path store = directory.resolve("store-" + mode);
            try (StorageNode node = Imports.open(store)) {
                ImportJob job = job(shipping(node, damage::of), mode, Verification.SUMS);
                assertFails(job, node, damage.message, " of index ", "with keys from ");
            }
        }
    }

    /** It fails as a command with exit code 1 does, says where, and leaves no table. */
    private static void assertFails(ImportJob job, StorageNode node, String... words) {
        OperationFailedException failed = assertThrows(OperationFailedException.class, job::run);
        String message = String.valueOf(failed.getMessage());
        for (String word : words) {
            assertTrue(message.contains(word), message);
        }
        assertNull(node.table("stock"));
    }

    private ImportJob shuffled(StorageNode node, Consumer<Path> damage, int rows) throws IOException {
        Path file = Stock.write(directory.resolve("shuffled.csv"), Stock.shuffled(rows, SEED));
        Path work = Files.createDirectory(directory.resolve("work"));
        ImportSettings settings = new ImportSettings(
                InputFormat.DEFAULT,
                new ImportSettings.Resources(work, ImportSettings.MIN_MEMORY_BYTES, 2, 0),
                ImportSettings.Rejects.NONE,
                Mode.MERGE,
                Verification.SUMS);
        return new ImportJob(node, TABLE, InputFiles.resolve(List.of(file.toString())), settings, new ImportProgress())
                .observedBy(new ImportEvents() {
                    @Override
                    public void entered(ImportProgress.Phase phase) {
                        if (phase == ImportProgress.Phase.MERGE) {
                            damage.accept(work);
                        }
                    }
                });
    }

    /** A byte of a run on disk, whose blocks have a checksum; and one that went bad before that was made. */
    @ParameterizedTest
    @CsvSource({"false, the file was damaged", "true, does not agree with its checksum"})
    void aSpilledRunThatChangedIsFound(boolean beforeItWasSpilled, String words) throws Exception {
        try (StorageNode node = Imports.open(directory.resolve("store"))) {
            ImportJob job = shuffled(node, work -> damageRun(work, beforeItWasSpilled), SPILLED_ROWS);
            assertFails(job, node, words, "table stock, index ", "key");
        }
    }

    private static void damageRun(Path work, boolean mendBlock) {
        try (Stream<Path> files = Files.list(work)) {
            Path run = files.filter(file -> file.toString().endsWith(".run"))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("nothing was spilled"));
            byte[] bytes = Files.readAllBytes(run);
            int length = ByteBuffer.wrap(bytes).getInt(0);
            // In the value of the first entry: 4 bytes of lengths, the key, its checksum.
            int keyLength = ByteBuffer.wrap(bytes).getShort(8);
            bytes[8 + 4 + keyLength + 4] ^= 0x10;
            if (mendBlock) {
                CRC32C crc = new CRC32C();
                crc.update(bytes, 8, length);
                ByteBuffer.wrap(bytes).putInt(4, (int) crc.getValue());
            }
            Files.write(run, bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A bit of a sort buffer: all rows are encoded and in memory, none is merged. */
    @Test
    @EnabledOnOs(OS.LINUX) // where a process can write to its own memory from outside
    void aBitThatFlipsInASortBufferIsFound() throws Exception {
        try (StorageNode node = Imports.open(directory.resolve("store"))) {
            ImportJob job =
                    shuffled(node, work -> OwnMemory.flip(Stock.encodedNote(ROWS_IN_MEMORY / 2)), ROWS_IN_MEMORY);
            assertFails(
                    job, node, "does not agree with its checksum", "table stock, index primary", "the KV with key ");
        }
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
    void missingKvsAreFound(Mode mode, Verification verification) throws Exception {
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
