package io.sluice.importer.sst.table;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.ChecksumType;
import org.rocksdb.CompressionType;
import org.rocksdb.EnvOptions;
import org.rocksdb.IngestExternalFileOptions;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksIterator;
import org.rocksdb.SstFileReader;
import org.rocksdb.SstFileReaderIterator;
import org.rocksdb.SstFileWriter;
import org.rocksdb.Statistics;
import org.rocksdb.TableProperties;
import org.rocksdb.TickerType;

/**
 * Random tables, written here and by RocksDB: data blocks and index are the same bytes, properties say the same,
 * RocksDB reads back every entry and finds every checksum good, and takes the file into a database that finds every
 * key.
 *
 * <p>{@code -Dsluice.sst.tables=100000} tries that many.
 */
@SuppressWarnings("NullAway.Init")
class TableWriterTest {
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());
    private static final int TABLES = Integer.getInteger("sluice.sst.tables", 150);
    /** Of so many tables one is also ingested, compacted and read by key. */
    private static final int INGESTED = 20;

    private static final int MOST_BYTES = 2 << 20;

    @TempDir
    Path directory;

    @SuppressWarnings("ArrayRecordComponent")
    private record Kv(byte[] key, byte[] value) {}

    @BeforeAll
    static void loadLibrary() {
        RocksDB.loadLibrary();
    }

    @Test
    void randomTablesAreThoseOfRocksDb() throws Exception {
        System.out.println("TableWriterTest: seed " + SEED + ", " + TABLES + " tables");
        for (int i = 0; i < TABLES; i++) {
            Random random = new Random(SEED + i);
            List<Kv> kvs = randomKvs(random);
            check(kvs, "seed " + (SEED + i), i % INGESTED == 0);
        }
    }

    @Test
    void aMillionEntries() throws Exception {
        List<Kv> kvs = new ArrayList<>();
        Random random = new Random(SEED);
        for (int i = 0; i < 1_000_000; i++) {
            byte[] key = new byte[18];
            LittleEndian.putLong(key, 0, Long.reverseBytes((long) i));
            LittleEndian.putLong(key, 8, random.nextLong());
            kvs.add(new Kv(key, new byte[] {1, 2, 3, 4, (byte) i}));
        }
        check(kvs, "seed " + SEED, true);
    }

    @Test
    void aHugeValueBetweenSmallOnes() throws Exception {
        byte[] huge = new byte[32 << 20];
        new Random(SEED).nextBytes(huge);
        check(
                List.of(
                        new Kv(new byte[] {1}, new byte[10]),
                        new Kv(new byte[] {2}, huge),
                        new Kv(new byte[] {2, 0}, new byte[0])),
                "seed " + SEED,
                true);
    }

    @Test
    void theFilterPassesFewKeysThatAreNotThere() throws Exception {
        List<Kv> kvs = new ArrayList<>();
        for (int i = 0; i < 50_000; i++) {
            kvs.add(new Kv(numbered(2 * i), new byte[1]));
        }
        Path own = directory.resolve("filtered.sst");
        writeOwn(own, kvs);
        try (Statistics statistics = new Statistics();
                Options options = options().setStatistics(statistics);
                RocksDB db = RocksDB.open(options, directory.resolve("filtered").toString());
                IngestExternalFileOptions ingest = new IngestExternalFileOptions()) {
            db.ingestExternalFile(List.of(own.toString()), ingest);
            for (int i = 0; i < 50_000; i++) {
                assertNull(db.get(numbered(2 * i + 1)));
            }
            long kept = statistics.getTickerCount(TickerType.BLOOM_FILTER_USEFUL);
            assertTrue(kept > 49_000, "the filter kept off " + kept + " of 50,000");
        }
    }

    private static byte[] numbered(int number) {
        byte[] key = new byte[Long.BYTES];
        LittleEndian.putLong(key, 0, Long.reverseBytes((long) number));
        return key;
    }

    @Test
    void keysMustAscend() throws Exception {
        try (FileChannel channel = open(directory.resolve("descending.sst"))) {
            TableWriter writer = new TableWriter(channel, UUID.randomUUID());
            writer.add(new byte[] {2}, 0, 1, 0);
            assertThrows(IllegalArgumentException.class, () -> writer.add(new byte[] {2}, 0, 1, 0));
            assertThrows(IllegalArgumentException.class, () -> writer.add(new byte[] {1, 5}, 0, 2, 0));
        }
    }

    @Test
    void aTableHasAnEntry() throws Exception {
        try (FileChannel channel = open(directory.resolve("empty.sst"))) {
            TableWriter writer = new TableWriter(channel, UUID.randomUUID());
            assertThrows(IllegalStateException.class, writer::finish);
        }
    }

    /** Few or many entries, keys that share long prefixes or none, runs of 0xff, the empty key, keys of 64 KiB. */
    private static List<Kv> randomKvs(Random random) {
        int count = 1 << random.nextInt(13);
        int keyBytes = List.of(1, 2, 8, 18, 40, 200, 1000, 64 << 10).get(random.nextInt(8));
        int valueBytes = List.of(0, 1, 5, 90, 300, 20_000).get(random.nextInt(6));
        int letters = List.of(1, 2, 4, 256).get(random.nextInt(4));
        count = Math.max(1, Math.min(count, MOST_BYTES / (keyBytes + valueBytes)));
        TreeSet<byte[]> keys = new TreeSet<>(Arrays::compareUnsigned);
        for (int i = 0; i < count; i++) {
            byte[] key = new byte[random.nextInt(keyBytes + 1)];
            for (int j = 0; j < key.length; j++) {
                // From the top, so that few letters make runs of 0xff.
                key[j] = (byte) (0xff - random.nextInt(letters));
            }
            keys.add(key);
        }
        return keys.stream()
                .map(key -> {
                    byte[] value = new byte[random.nextInt(valueBytes + 1)];
                    random.nextBytes(value);
                    return new Kv(key, value);
                })
                .toList();
    }

    private void check(List<Kv> kvs, String context, boolean ingested) throws Exception {
        Path own = directory.resolve("own.sst");
        Path reference = directory.resolve("native.sst");
        Table table = writeOwn(own, kvs);
        byte[] ownBytes = Files.readAllBytes(own);
        CRC32C crc = new CRC32C();
        crc.update(ownBytes);
        assertEquals(new Table(ownBytes.length, crc.getValue()), table, context);
        try (Options options = options()) {
            writeNative(options, reference, kvs);
            TableProperties expected = properties(options, reference);
            TableProperties found = properties(options, own);
            assertEquals(expected.getDataSize(), found.getDataSize(), context);
            assertEquals(expected.getIndexSize(), found.getIndexSize(), context);
            assertEquals(describe(expected), describe(found), context);
            byte[] nativeBytes = Files.readAllBytes(reference);
            int data = (int) expected.getDataSize();
            assertEquals(-1, Arrays.mismatch(ownBytes, 0, data, nativeBytes, 0, data), context + ": data blocks");
            assertArrayEquals(index(nativeBytes, expected), index(ownBytes, found), context + ": index");
            assertArrayEquals(
                    filter(kvs), Arrays.copyOfRange(ownBytes, data, data + (int) found.getFilterSize()), context);
            assertReadBack(options, own, kvs, context);
            if (ingested) {
                assertIngested(own, kvs, context);
            }
        }
        Files.delete(own);
        Files.delete(reference);
    }

    /**
     * The index block, which follows data and filter, without its trailer and its last byte: there RocksDB notes
     * whether keys are spread evenly. It also rounds filters up to what malloc gives.
     */
    private static byte[] index(byte[] file, TableProperties properties) {
        int from = (int) (properties.getDataSize() + properties.getFilterSize() + 5);
        return Arrays.copyOfRange(file, from, from + (int) properties.getIndexSize() - 6);
    }

    /** A second filter of the same keys: one key that was hashed wrongly in the first is enough to tell them apart. */
    private static byte[] filter(List<Kv> kvs) {
        BloomFilter filter = new BloomFilter();
        kvs.forEach(kv -> filter.add(kv.key, 0, kv.key.length));
        return filter.finish();
    }

    private static String describe(TableProperties properties) {
        return String.join(
                ", ",
                List.of(
                        "entries " + properties.getNumEntries(),
                        "blocks " + properties.getNumDataBlocks(),
                        "keys " + properties.getRawKeySize(),
                        "values " + properties.getRawValueSize(),
                        "format " + properties.getFormatVersion(),
                        "fixed " + properties.getFixedKeyLen(),
                        "cf " + properties.getColumnFamilyId(),
                        properties.getComparatorName(),
                        properties.getMergeOperatorName(),
                        properties.getPrefixExtractorName(),
                        properties.getPropertyCollectorsNames(),
                        properties.getCompressionName(),
                        properties.getFilterPolicyName(),
                        "user key " + properties.getIndexKeyIsUserKey(),
                        "delta " + properties.getIndexValueIsDeltaEncoded(),
                        "deletions " + properties.getNumDeletions(),
                        "merges " + properties.getNumMergeOperands(),
                        "range deletions " + properties.getNumRangeDeletions()));
    }

    private static Options options() {
        return new Options()
                .setCreateIfMissing(true)
                .setCompressionType(CompressionType.NO_COMPRESSION)
                .setTableFormatConfig(new BlockBasedTableConfig()
                        .setBlockSize(TableWriter.BLOCK_BYTES)
                        .setFormatVersion(5)
                        .setFilterPolicy(new org.rocksdb.BloomFilter(TableWriter.BLOOM_BITS_PER_KEY))
                        .setChecksumType(ChecksumType.kXXH3));
    }

    private static FileChannel open(Path file) throws IOException {
        return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    }

    private static Table writeOwn(Path file, List<Kv> kvs) throws IOException {
        try (FileChannel channel = open(file)) {
            TableWriter writer = new TableWriter(channel, UUID.randomUUID());
            for (Kv kv : kvs) {
                byte[] both = Arrays.copyOf(kv.key, kv.key.length + kv.value.length);
                System.arraycopy(kv.value, 0, both, kv.key.length, kv.value.length);
                writer.add(both, 0, kv.key.length, kv.value.length);
            }
            return writer.finish();
        }
    }

    private static void writeNative(Options options, Path file, List<Kv> kvs) throws Exception {
        try (EnvOptions env = new EnvOptions();
                SstFileWriter writer = new SstFileWriter(env, options)) {
            writer.open(file.toString());
            for (Kv kv : kvs) {
                writer.put(kv.key, kv.value);
            }
            writer.finish();
        }
    }

    private static TableProperties properties(Options options, Path file) throws Exception {
        try (SstFileReader reader = new SstFileReader(options)) {
            reader.open(file.toString());
            return reader.getTableProperties();
        }
    }

    private static void assertReadBack(Options options, Path file, List<Kv> kvs, String context) throws Exception {
        try (SstFileReader reader = new SstFileReader(options);
                ReadOptions read = new ReadOptions().setVerifyChecksums(true)) {
            reader.open(file.toString());
            reader.verifyChecksum();
            try (SstFileReaderIterator iterator = reader.newIterator(read)) {
                iterator.seekToFirst();
                for (Kv kv : kvs) {
                    assertTrue(iterator.isValid(), context);
                    assertArrayEquals(kv.key, iterator.key(), context);
                    assertArrayEquals(kv.value, iterator.value(), context);
                    iterator.next();
                }
                assertFalse(iterator.isValid(), context);
                iterator.status();
            }
        }
    }

    private void assertIngested(Path file, List<Kv> kvs, String context) throws Exception {
        Path store = Files.createTempDirectory(directory, "db");
        try (Options options = options();
                RocksDB db = RocksDB.open(options, store.toString());
                IngestExternalFileOptions ingest = new IngestExternalFileOptions()) {
            db.ingestExternalFile(List.of(file.toString()), ingest);
            db.verifyChecksum();
            assertFound(db, kvs, context);
            db.compactRange();
            assertFound(db, kvs, context + ", compacted");
        }
    }

    private static void assertFound(RocksDB db, List<Kv> kvs, String context) throws Exception {
        for (int i = 0; i < kvs.size(); i += 1 + kvs.size() / 1000) {
            assertArrayEquals(kvs.get(i).value, db.get(kvs.get(i).key), context);
        }
        try (RocksIterator iterator = db.newIterator()) {
            long count = 0;
            for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
                count++;
            }
            assertEquals(kvs.size(), count, context);
        }
    }
}
