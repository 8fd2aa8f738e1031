package io.sluice.engine.lsm.manifest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.engine.lsm.LsmEvent;
import io.sluice.engine.lsm.LsmHistory;
import io.sluice.engine.lsm.TreeFile;
import io.sluice.engine.store.KeyBounds;
import io.sluice.engine.store.LsmFile;
import io.sluice.model.error.BadInputException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompactionOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.EnvOptions;
import org.rocksdb.FlushOptions;
import org.rocksdb.IngestExternalFileOptions;
import org.rocksdb.LiveFileMetaData;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.SstFileWriter;

/** Tests the reader with databases that RocksDB wrote. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class ManifestTest {
    /** Long enough for a few hundred files to fill several blocks of the MANIFEST. */
    private static final String PADDING = "x".repeat(400);

    @TempDir
    Path directory;

    @BeforeAll
    static void load() {
        RocksDB.loadLibrary();
    }

    @Test
    void everyChangeOfSeveralFamiliesIsAnEvent() throws Exception {
        try (Database db = new Database(directory.resolve("db"))) {
            db.family("sluice");
            db.put("default", "a", "m");
            db.ingest("sluice", "c", "f");
            db.ingest("sluice", "e", "k");
            db.put("sluice", "p", "q");
            db.compact("sluice", 63);
            db.put("default", "b", "z");
            db.rocks.deleteFilesInRanges(
                    db.handle("default"),
                    List.of("a".getBytes(StandardCharsets.UTF_8), "n".getBytes(StandardCharsets.UTF_8)),
                    true);
            db.family("gone");
            db.ingest("gone", "1", "2");
            db.rocks.dropColumnFamily(db.handle("gone"));

            LsmHistory history = Manifest.read(db.path);
            assertEquals(List.of(), history.notes());
            assertEquals(
                    List.of(
                            "default flush 1 0",
                            "sluice ingest 1 0",
                            "sluice ingest 1 0",
                            "sluice flush 1 0",
                            "sluice compaction 1 3",
                            "default flush 1 0",
                            "gone ingest 1 0",
                            "gone drop 0 0"),
                    history.entries().stream()
                            .filter(entry -> !(entry.event() instanceof LsmEvent.Removal))
                            .map(entry -> entry.family() + " " + entry.event().kind() + " "
                                    + entry.event().added().size() + " "
                                    + entry.event().removed().size())
                            .toList());
            assertEquals(2, history.entries().get(2).after().height());
            assertEquals(1, history.entries().get(3).after().l0Files());
            LsmFile second = history.entries().get(2).event().added().get(0);
            assertEquals(62, second.level());
            assertEquals("[e, k]", second.bounds().toString());
            db.assertSameFiles(history, "sluice");
            db.assertSameFiles(history, "default");
            assertEquals(0, history.atEnd("gone").files().size());
        }
    }

    @Test
    void recordsSpanBlocksAndTheManifestIsReplaced() throws Exception {
        Path path = directory.resolve("db");
        try (Database db = new Database(path)) {
            db.family("sluice");
            for (int i = 0; i < 250; i++) {
                String key = String.format(Locale.ROOT, "%03d", i * 7 % 250);
                db.ingest("sluice", key + PADDING, key + PADDING + "~");
            }
            LsmHistory history = Manifest.read(path);
            assertEquals(250, history.entries().size());
            assertTrue(Files.size(manifest(path)) > 5 * RecordLog.BLOCK_BYTES);
            db.assertSameFiles(history, "sluice");
        }
        try (Database db = new Database(path, "sluice")) {
            LsmHistory reopened = Manifest.read(path);
            assertEquals("snapshot", reopened.entries().get(0).event().kind());
            assertEquals(250, reopened.entries().get(0).event().added().size());
            db.compact("sluice", 63);
            db.assertSameFiles(Manifest.read(path), "sluice");
        }
    }

    /** A file cut at any byte has the history up to there, and the reader reports the cut. */
    @Test
    void tornTailIsSkippedAndReported() throws Exception {
        Path path = directory.resolve("db");
        try (Database db = new Database(path)) {
            db.family("sluice");
            for (int i = 0; i < 60; i++) {
                db.ingest("sluice", i + PADDING, i + PADDING + "~");
            }
        }
        byte[] whole = Files.readAllBytes(manifest(path));
        int events = Manifest.read(path).entries().size();
        int before = -1;
        for (int length = 0;
                length < whole.length;
                length += length > RecordLog.BLOCK_BYTES - 50 && length < RecordLog.BLOCK_BYTES + 50 ? 1 : 97) {
            Files.write(manifest(path), Arrays.copyOf(whole, length));
            LsmHistory torn = Manifest.read(path);
            assertTrue(torn.entries().size() >= before && torn.entries().size() <= events, "cut at " + length);
            before = torn.entries().size();
            if (!torn.notes().isEmpty()) {
                assertTrue(
                        torn.notes().get(0).contains("ends in the middle of the record at byte "), "cut at " + length);
            }
        }
        assertTrue(before >= events - 1, before + " of " + events);
    }

    @Test
    void damageIsRefusedWithItsPlace() throws Exception {
        Path path = directory.resolve("db");
        try (Database db = new Database(path)) {
            for (int i = 0; i < 20; i++) {
                db.put("default", i + PADDING, i + PADDING + "~");
            }
        }
        byte[] whole = Files.readAllBytes(manifest(path));
        byte[] flipped = whole.clone();
        flipped[whole.length / 2] ^= 1;
        Files.write(manifest(path), flipped);
        BadInputException e = assertThrows(BadInputException.class, () -> Manifest.read(path));
        assertTrue(
                String.valueOf(e.getMessage())
                        .matches("(?s).*MANIFEST-\\d+ is damaged: the record at byte \\d+ of " + whole.length
                                + " does not have the checksum it says it has"),
                e.getMessage());

        Files.writeString(path.resolve("CURRENT"), "nonsense\n");
        assertThrows(BadInputException.class, () -> Manifest.read(path));
        Files.writeString(path.resolve("CURRENT"), "MANIFEST-999999\n");
        assertThrows(BadInputException.class, () -> Manifest.read(path));
        assertThrows(BadInputException.class, () -> Manifest.read(directory));
    }

    @Test
    void unknownTagsAreSkippedOnlyWhenIgnorable() throws Exception {
        byte[] ignorable = {(byte) 0xff, 0x40, 2, 9, 9, (byte) 200, 1, 5};
        assertEquals(5, EditDecoder.decode(ignorable).family());
        byte[] unknown = {99, 1, 2};
        assertTrue(String.valueOf(assertThrows(Fields.MalformedEdit.class, () -> EditDecoder.decode(unknown))
                        .getMessage())
                .contains("unknown tag 99"));
        byte[] cut = {1, 50, 'a'};
        assertThrows(Fields.MalformedEdit.class, () -> EditDecoder.decode(cut));
    }

    private static Path manifest(Path database) throws IOException {
        try (Stream<Path> files = Files.list(database)) {
            return files.filter(file -> file.getFileName().toString().startsWith("MANIFEST-"))
                    .max(Comparator.naturalOrder())
                    .orElseThrow();
        }
    }

    /** A database with the options of a storage node. */
    private static final class Database implements AutoCloseable {
        final Path path;
        final RocksDB rocks;
        private final ColumnFamilyOptions options = new ColumnFamilyOptions()
                .setNumLevels(64)
                .setDisableAutoCompactions(true)
                .setLevelCompactionDynamicLevelBytes(false);
        private final DBOptions dbOptions = new DBOptions().setCreateIfMissing(true);
        private final Map<String, ColumnFamilyHandle> handles = new HashMap<>();
        private int ssts;

        Database(Path path, String... families) throws RocksDBException {
            this.path = path;
            List<ColumnFamilyDescriptor> descriptors = new ArrayList<>();
            descriptors.add(new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY, options));
            for (String family : families) {
                descriptors.add(new ColumnFamilyDescriptor(family.getBytes(StandardCharsets.UTF_8), options));
            }
            List<ColumnFamilyHandle> opened = new ArrayList<>();
            rocks = RocksDB.open(dbOptions, path.toString(), descriptors, opened);
            for (ColumnFamilyHandle handle : opened) {
                handles.put(new String(handle.getName(), StandardCharsets.UTF_8), handle);
            }
        }

        ColumnFamilyHandle handle(String family) {
            return Objects.requireNonNull(handles.get(family));
        }

        void family(String name) throws RocksDBException {
            handles.put(
                    name,
                    rocks.createColumnFamily(
                            new ColumnFamilyDescriptor(name.getBytes(StandardCharsets.UTF_8), options)));
        }

        void put(String family, String... keys) throws RocksDBException {
            for (String key : keys) {
                rocks.put(handle(family), key.getBytes(StandardCharsets.UTF_8), new byte[1]);
            }
            try (FlushOptions flush = new FlushOptions()) {
                rocks.flush(flush, handle(family));
            }
        }

        void ingest(String family, String... keys) throws RocksDBException {
            Path sst = path.resolveSibling("new" + ssts++ + ".sst");
            try (Options writing = new Options();
                    EnvOptions env = new EnvOptions();
                    SstFileWriter writer = new SstFileWriter(env, writing);
                    IngestExternalFileOptions moving = new IngestExternalFileOptions().setMoveFiles(true)) {
                writer.open(sst.toString());
                for (String key : keys) {
                    writer.put(key.getBytes(StandardCharsets.UTF_8), new byte[1]);
                }
                writer.finish();
                rocks.ingestExternalFile(handle(family), List.of(sst.toString()), moving);
            }
        }

        void compact(String family, int level) throws RocksDBException {
            List<String> names =
                    live(family).stream().map(LiveFileMetaData::fileName).toList();
            try (CompactionOptions compacting = new CompactionOptions()) {
                rocks.compactFiles(compacting, handle(family), names, level, -1, null);
            }
        }

        void assertSameFiles(LsmHistory history, String family) {
            List<LsmFile> expected = live(family).stream()
                    .map(file -> new LsmFile(
                            file.fileName().substring(1),
                            file.level(),
                            new KeyBounds(file.smallestKey(), file.largestKey()),
                            LsmFile.UNKNOWN,
                            file.size(),
                            0))
                    .sorted(Comparator.comparing(LsmFile::name))
                    .toList();
            assertEquals(
                    expected,
                    history.atEnd(family).files().stream()
                            .map(TreeFile::file)
                            .sorted(Comparator.comparing(LsmFile::name))
                            .toList());
        }

        private List<LiveFileMetaData> live(String family) {
            return rocks.getLiveFilesMetaData().stream()
                    .filter(file -> new String(file.columnFamilyName(), StandardCharsets.UTF_8).equals(family))
                    .toList();
        }

        @Override
        public void close() {
            handles.values().forEach(ColumnFamilyHandle::close);
            rocks.close();
            options.close();
            dbOptions.close();
        }
    }
}
