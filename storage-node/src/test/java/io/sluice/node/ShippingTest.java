package io.sluice.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IngestReport;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.SstFile;
import io.sluice.engine.store.SstCursor;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.file.DurableFiles;
import io.sluice.model.kv.IndexDigest;
import io.sluice.model.kv.KvChecksum;
import io.sluice.node.ingest.IngestSettings;
import io.sluice.testing.TestSsts;
import io.sluice.testing.TestTables;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests that SSTs that do not match their description are refused, and leave no files. */
@ParameterizedClass
@EnumSource(
        value = IngestTiming.class,
        names = {"AT_END", "ON_ARRIVAL"})
class ShippingTest {
    @Parameter
    private IngestTiming timing = IngestTiming.AT_END;

    private Path temp = Path.of("");
    private @Nullable StorageNode node;
    private @Nullable ImportSession session;

    @BeforeEach
    void begin(@TempDir Path directory) {
        temp = directory;
        node = StorageNode.open(
                temp.resolve("store"),
                NodeSettings.defaults().withIngest(IngestSettings.defaults().withSmallSstBytes(0)));
        session = node.beginImport(ImportRequest.of(TestTables.accounts("accounts"), timing));
    }

    @AfterEach
    void end() {
        session().close();
        Objects.requireNonNull(node).close();
    }

    private ImportSession session() {
        return Objects.requireNonNull(session);
    }

    private SstFile good() throws Exception {
        return TestSsts.build(session().table(), TestTables.accountRows(500), temp)
                .get(0);
    }

    private void assertRefused(String why, SstFile sst) throws Exception {
        OperationFailedException e =
                assertThrows(OperationFailedException.class, () -> session().ship(sst));
        assertTrue(String.valueOf(e.getMessage()).contains(why), e.getMessage());
        assertFalse(Files.exists(sst.path()), "the refused file is still there");
        try (Stream<Path> staged = Files.walk(temp.resolve("store/staging"))) {
            assertEquals(List.of(), staged.filter(Files::isRegularFile).toList());
        }
        assertEquals(0, session().finalizeIngest().ssts());
        assertEquals(0, session().present().get(0).sum().count());
    }

    @Test
    void truncatedFileIsRefused() throws Exception {
        SstFile sst = good();
        try (RandomAccessFile file = new RandomAccessFile(sst.path().toFile(), "rw")) {
            file.setLength(sst.fileBytes() - 1);
        }
        assertRefused("it has " + (sst.fileBytes() - 1) + " bytes and should have " + sst.fileBytes(), sst);
    }

    @Test
    void flippedByteInABlockIsRefused() throws Exception {
        SstFile sst = good();
        try (RandomAccessFile file = new RandomAccessFile(sst.path().toFile(), "rw")) {
            file.seek(100);
            int old = file.read();
            file.seek(100);
            file.write(old ^ 1);
        }
        assertRefused("data on disk is damaged", sst);
    }

    @Test
    void fileThatIsNoSstIsRefused() throws Exception {
        SstFile sst = good();
        Files.write(sst.path(), new byte[(int) sst.fileBytes()]);
        assertRefused("could not take SST", sst);
    }

    @Test
    void missingFileIsRefused() throws Exception {
        SstFile sst = good();
        Files.delete(sst.path());
        assertRefused("does not exist", sst);
    }

    @Test
    void wrongCountIsRefused() throws Exception {
        SstFile sst = good();
        KvChecksum sum = new KvChecksum(501, sst.sum().bytes(), sst.sum().crcSum());
        assertRefused("it holds 500 KVs and should hold 501", with(sst, sst.indexId(), sst.largestKey(), sum));
    }

    @Test
    void wrongKeyIsRefused() throws Exception {
        SstFile sst = good();
        assertRefused("its last key is", with(sst, sst.indexId(), sst.smallestKey(), sst.sum()));
    }

    @Test
    void sstOfAnotherIndexIsRefused() throws Exception {
        SstFile sst = good();
        assertRefused("is none of index by_owner of table accounts", with(sst, 2, sst.largestKey(), sst.sum()));
    }

    @Test
    void unknownIndexIsRefused() throws Exception {
        SstFile sst = good();
        assertRefused("which has no index 9", with(sst, 9, sst.largestKey(), sst.sum()));
    }

    @Test
    void keysOfAnotherTableAreRefused() throws Exception {
        byte[] key = {(byte) 0xf0, (byte) 0x89, (byte) 0x89, (byte) 0x88};
        SstFile sst = TestSsts.write(
                Map.of(key, new byte[5]), IndexDigest.of(session().table(), 0), temp);
        assertRefused("is none of index primary of table accounts", sst);
    }

    private NavigableMap<byte[], byte[]> kvs(int rows) throws Exception {
        SstFile sst = TestSsts.build(session().table(), TestTables.accountRows(rows), temp)
                .get(0);
        TreeMap<byte[], byte[]> kvs = new TreeMap<>(Arrays::compareUnsigned);
        try (SstCursor cursor = new SstCursor(sst.path())) {
            for (; cursor.valid(); cursor.next()) {
                kvs.put(cursor.key(), cursor.value());
            }
        }
        return kvs;
    }

    /** A KV with matching checksums that is no row, as an error in an encoder would produce. */
    @ParameterizedTest
    @CsvSource({"0, FIRST", "1999, SAMPLED", "1000, SAMPLED"})
    void encodingErrorInASampledBlockIsRefused(int place, String how) throws Exception {
        NavigableMap<byte[], byte[]> kvs = kvs(2000);
        byte[] key = List.copyOf(kvs.keySet()).get(place);
        byte[] row = Objects.requireNonNull(kvs.get(key));
        byte[] value = Arrays.copyOf(row, row.length + 1);
        value[value.length - 1] = 0x0f;
        CRC32 crc = new CRC32();
        crc.update(key);
        crc.update(value, 4, value.length - 4);
        ByteBuffer.wrap(value).putInt(0, (int) crc.getValue());
        kvs.put(key, value);
        SstFile sst = TestSsts.write(kvs, IndexDigest.of(session().table(), 0), temp);
        // A neighbour is chosen: the whole block is read.
        byte[] near = place == 0 ? key : Objects.requireNonNull(kvs.lowerKey(key));
        List<byte[]> samples = how.equals("FIRST") ? List.of() : List.of(near);
        assertRefused(
                "index primary of table accounts was refused: the KV with key "
                        + HexFormat.of().formatHex(key) + " is no row: ",
                new SstFile(
                        sst.id(),
                        sst.path(),
                        sst.indexId(),
                        sst.smallestKey(),
                        sst.largestKey(),
                        sst.fileBytes(),
                        sst.sum(),
                        samples));
    }

    @Test
    void readBackFindsAKvWithAWrongCrc() throws Exception {
        NavigableMap<byte[], byte[]> kvs = kvs(2000);
        // Far from the first block, which is read back on arrival.
        byte[] last = Objects.requireNonNull(kvs.get(kvs.lastKey()));
        last[last.length - 1] ^= 1;
        SstFile sst = TestSsts.write(kvs, IndexDigest.of(session().table(), 0), temp);
        session().ship(sst);
        session().finalizeIngest();
        OperationFailedException e =
                assertThrows(OperationFailedException.class, () -> session().readBack());
        String message = String.valueOf(e.getMessage());
        assertTrue(
                message.matches("table accounts, index primary: the KV with key [0-9a-f]+ does not agree with its"
                        + " checksum; it is in SST \\d+\\.sst; .*"),
                message);
    }

    @Test
    void repeatedDeliveryCountsOnce() throws Exception {
        SstFile sst = good();
        session().ship(sst);
        session().ship(sst);
        assertEquals(1, session().finalizeIngest().ssts());
        assertEquals(500, session().present().get(0).sum().count());
    }

    @Test
    void severalThreadsShipConcurrently() throws Exception {
        List<List<@Nullable String>> rows = TestTables.accountRows(800);
        List<SstFile> ssts = new ArrayList<>();
        for (int from = 0; from < rows.size(); from += 100) {
            ssts.addAll(TestSsts.build(session().table(), rows.subList(from, from + 100), temp));
        }
        ssts.parallelStream().forEach(session()::ship);
        assertEquals(ssts.size(), session().finalizeIngest().ssts());
        assertEquals(TestSsts.sums(session().table(), ssts), session().present());
        assertEquals(session().present(), session().readBack().indexes());
    }

    @Test
    void fileOfAnotherFileSystemIsCopied() throws Exception {
        Path memory = Path.of("/dev/shm");
        assumeTrue(
                Files.isDirectory(memory) && !Files.getFileStore(memory).equals(Files.getFileStore(temp)),
                "this machine lacks a second file system");
        Path elsewhere = Files.createTempDirectory(memory, "sluice-test");
        try {
            SstFile sst = TestSsts.build(session().table(), TestTables.accountRows(500), elsewhere)
                    .get(0);
            session().ship(sst);
            assertFalse(Files.exists(sst.path()));
            IngestReport report = session().finalizeIngest();
            assertEquals(sst.fileBytes(), report.bytesIngested());
            assertEquals(sst.fileBytes(), report.bytesWritten(), "it was copied once and never merged");
        } finally {
            DurableFiles.deleteTree(elsewhere);
        }
    }

    private static SstFile with(SstFile sst, int indexId, byte[] largestKey, KvChecksum sum) {
        return new SstFile(sst.id(), sst.path(), indexId, sst.smallestKey(), largestKey, sst.fileBytes(), sum);
    }
}
