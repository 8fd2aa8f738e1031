package io.sluice.engine.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.model.error.OperationFailedException;
import io.sluice.model.file.DurableFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests recovery of a killed process's write-ahead log with changed or lost bytes. */
class WriteAheadLogTest {
    private static final int COMMITS = 12;
    private static final long CACHE_BYTES = 1 << 20;

    @TempDir
    @SuppressWarnings("NullAway.Init") // made before each test
    Path temp;

    private int images;

    /** The files of an open database, as a kill leaves them. */
    private Path image(Path db) throws IOException {
        Path image = Files.createDirectory(temp.resolve("image" + images++));
        for (Path file : DurableFiles.list(db)) {
            Files.copy(file, image.resolve(file.getFileName()));
        }
        return image;
    }

    private static Path log(Path db) throws IOException {
        List<Path> files = WriteAheadLog.files(db);
        return files.get(files.size() - 1);
    }

    private static byte[] key(int n) {
        return ("key" + n).getBytes(StandardCharsets.UTF_8);
    }

    /** A value; some are larger than a block of the log. */
    private static byte[] value(int n) {
        byte[] value = new byte[n % 5 == 3 ? 40_000 : 100];
        Arrays.fill(value, (byte) n);
        return value;
    }

    private static long found(RocksStore store) {
        int n = 0;
        while (n < COMMITS && store.meta().get(key(n)) != null) {
            n++;
        }
        for (int behind = n; behind < COMMITS; behind++) {
            assertNull(store.meta().get(key(behind)), "a hole before " + behind);
        }
        return n;
    }

    @Test
    void damageBeforeTheLastCommitIsRefused() throws IOException {
        Path db = temp.resolve("db");
        long[] ends = new long[COMMITS];
        Path image;
        try (RocksStore store = RocksStore.open(db, CACHE_BYTES)) {
            for (int n = 0; n < COMMITS; n++) {
                store.commit(new WriteSet().put(key(n), value(n)));
                ends[n] = Files.size(log(db));
            }
            image = image(db);
        }
        byte[] whole = Files.readAllBytes(log(image));
        long behindLast = ends[COMMITS - 2];
        int refused = 0;
        for (int at = 0; at < whole.length; at += at < 1_200 ? 7 : 1_601) {
            byte[] damaged = whole.clone();
            damaged[at] ^= 0x10;
            Files.write(log(image), damaged);
            Path copy = image(image);
            if (at < behindLast) {
                OperationFailedException e = assertThrows(
                        OperationFailedException.class, () -> RocksStore.open(copy, CACHE_BYTES), "byte " + at);
                assertTrue(e.toString().contains("the write-ahead log is damaged"), e::toString);
                assertTrue(e.toString().contains("--accept-loss"), e::toString);
                assertNotNull(RocksStore.logLoss(copy));
                refused++;
            } else {
                try (RocksStore store = RocksStore.open(copy, CACHE_BYTES)) {
                    assertEquals(COMMITS - 1, found(store), "byte " + at);
                    assertTrue(
                            store.recovered().get(0).contains("torn end"),
                            store.recovered().toString());
                }
            }
        }
        assertTrue(refused > 150, refused + " were refused");
    }

    /** A change of another tree raises the sequence number in the MANIFEST, whatever of the log is recovered. */
    @ParameterizedTest
    @ValueSource(strings = {"ingest", "flush", "create"})
    void damageBeforeAChangeOfAnotherTreeIsRefused(String change) throws IOException {
        Path db = temp.resolve("db");
        long beforeLast = 0;
        Path image;
        try (RocksStore store = RocksStore.open(db, CACHE_BYTES)) {
            Family rows = store.createFamily("t7");
            for (int n = 0; n < COMMITS; n++) {
                store.commit(new WriteSet().put(key(n), value(n)));
                beforeLast = n == COMMITS - 2 ? Files.size(log(db)) : beforeLast;
                if (n >= COMMITS - 3) {
                    switch (change) {
                        case "ingest" -> rows.ingest(List.of(sst(n)));
                        case "flush" -> {
                            TestKvs.put(store, rows, List.of(new Kv(key(n), value(n))));
                            rows.flush();
                        }
                        default -> {
                            Family unused = store.createFamily("t" + (100 + n));
                        }
                    }
                }
            }
            image = image(db);
        }
        List<Path> logs = WriteAheadLog.files(image);
        for (Path log : logs) {
            byte[] whole = Files.readAllBytes(log);
            long end = logs.size() == 1 ? beforeLast : whole.length;
            for (int at = 20; at < end; at += 1_601) {
                byte[] damaged = whole.clone();
                damaged[at] ^= 0x10;
                Files.write(log, damaged);
                Path copy = image(image);
                OperationFailedException e = assertThrows(
                        OperationFailedException.class, () -> RocksStore.open(copy, CACHE_BYTES), log + ", byte " + at);
                assertTrue(e.toString().contains("the write-ahead log is damaged"), e::toString);
                assertNotNull(RocksStore.logLoss(copy));
            }
            Files.write(log, whole);
        }
    }

    private Path sst(int n) {
        try (SstWriter writer = new SstWriter(temp.resolve("sst" + n))) {
            writer.add(key(0), value(n));
            writer.finish();
            return writer.path();
        }
    }

    @Test
    void tornTailOpensAndIsReported() throws IOException {
        Path db = temp.resolve("db");
        Path image;
        try (RocksStore store = RocksStore.open(db, CACHE_BYTES)) {
            for (int n = 0; n < COMMITS; n++) {
                store.commit(new WriteSet().put(key(n), value(n)));
            }
            image = image(db);
        }
        byte[] whole = Files.readAllBytes(log(image));
        for (int length = whole.length; length > 0; length -= length > whole.length - 300 ? 3 : 1_703) {
            Files.write(log(image), Arrays.copyOf(whole, length));
            try (RocksStore store = RocksStore.open(image(image), CACHE_BYTES)) {
                long unused = found(store);
            }
        }
    }

    /** A power cut may lose an unsynced page and keep a later one. Ingested files have numbers that are in no log. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void holeInTheUnsyncedTailOpens(boolean ingested) throws IOException {
        Path db = temp.resolve("db");
        Path image;
        long synced;
        try (RocksStore store = RocksStore.open(db, CACHE_BYTES)) {
            for (int n = 0; n < 4; n++) {
                store.commit(new WriteSet().put(key(n), value(n)));
            }
            if (ingested) {
                Family rows = store.createFamily("t7");
                rows.ingest(List.of(sst(1)));
                rows.ingest(List.of(sst(2)));
                store.syncLog();
            }
            synced = Files.size(log(db));
            for (int n = 4; n < COMMITS; n++) {
                store.write(new RowBatch(), new WriteSet().put(key(n), value(n)));
            }
            image = image(db);
        }
        byte[] whole = Files.readAllBytes(log(image));
        for (int at = (int) synced; at < whole.length; at += 1_001) {
            byte[] holed = whole.clone();
            Arrays.fill(holed, at, Math.min(whole.length, at + 512), (byte) 0);
            Files.write(log(image), holed);
            try (RocksStore store = RocksStore.open(image(image), CACHE_BYTES)) {
                assertTrue(found(store) >= 4, "byte " + at);
                assertEquals(1, store.recovered().size(), "byte " + at);
            }
        }
    }

    @Test
    void acceptedLossKeepsACopyAndEarlierWrites() throws IOException {
        Path db = temp.resolve("db");
        Path image;
        try (RocksStore store = RocksStore.open(db, CACHE_BYTES)) {
            for (int n = 0; n < COMMITS; n++) {
                store.commit(new WriteSet().put(key(n), value(n)));
            }
            image = image(db);
        }
        byte[] damaged = Files.readAllBytes(log(image));
        damaged[damaged.length / 2] ^= 1;
        Files.write(log(image), damaged);
        Path copies = temp.resolve("copies");
        String name = log(image).getFileName().toString();
        RocksStore.dropDamagedLog(image, copies);
        assertEquals(-1, Arrays.mismatch(damaged, Files.readAllBytes(copies.resolve(name))));
        try (RocksStore store = RocksStore.open(image, CACHE_BYTES)) {
            long found = found(store);
            assertTrue(found > 0 && found < COMMITS, found + " commits");
            assertEquals(List.of(), store.recovered());
        }
    }

    /** A tree that was flushed after the damage keeps what it has; the others keep what precedes the damage. */
    @Test
    void acceptedLossLeavesAFlushedTreeAhead() throws IOException {
        Path db = temp.resolve("db");
        long[] ends = new long[COMMITS];
        Path image;
        try (RocksStore store = RocksStore.open(db, CACHE_BYTES)) {
            Family rows = store.createFamily("t7");
            for (int n = 0; n < COMMITS; n++) {
                store.commit(new WriteSet().put(key(n), value(n)));
                ends[n] = Files.size(log(db));
                if (n == COMMITS - 2) {
                    TestKvs.put(store, rows, List.of(new Kv(key(n), value(n))));
                    rows.flush();
                }
            }
            image = image(db);
        }
        Path first = WriteAheadLog.files(image).get(0);
        byte[] whole = Files.readAllBytes(first);
        for (int kept : new int[] {0, 1, 3, 4, COMMITS - 3}) {
            // In the last fragment of the record.
            byte[] damaged = whole.clone();
            damaged[(int) ends[kept] - 50] ^= 1;
            Files.write(first, damaged);
            Path copy = image(image);
            assertThrows(OperationFailedException.class, () -> RocksStore.open(copy, CACHE_BYTES));
            RocksStore.dropDamagedLog(copy, temp.resolve("copies" + kept));
            try (RocksStore store = RocksStore.open(copy, CACHE_BYTES)) {
                assertEquals(kept, found(store));
                assertArrayEquals(value(COMMITS - 2), store.family("t7").get(key(COMMITS - 2)));
                assertEquals(List.of(), store.recovered());
            }
        }
    }
}
