package io.sluice.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestTiming;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.TableDef;
import io.sluice.testing.TestSsts;
import io.sluice.testing.TestTables;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A store that an earlier build wrote stays readable. {@code store-1.zip} is a store of format version 1 with a
 * published table and an import that waits to be resumed, {@code store-2.zip} one of version 2 with a table of all
 * types that version 1 lacks, {@code store-3.zip} one of version 3 with a table in column families. They are never
 * written anew: a later format gets a file of its own, made with {@code -Dsluice.format.write=FILE}, and a test of its
 * own.
 */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class StoredFormatTest {
    private static final UUID IMPORT = new UUID(5, 5);
    private static final int ROWS = 50;

    /** A moment of the hour in which the store was written: its import is kept for 24 hours from then. */
    private static final Instant WRITTEN = Instant.parse("2026-11-22T20:00:00Z");

    private static final String LATER_TYPES = "CREATE TABLE later (id INT PRIMARY KEY, iv INTERVAL, tt TIMETZ, ip INET,"
            + " vb VARBIT(9), doc JSONB, tags STRING[], moments TIMESTAMPTZ[], INDEX (ip) STORING (doc, tags))";

    private static final List<List<@Nullable String>> LATER_ROWS = List.of(
            List.of(
                    "1",
                    "1 year 2 mons 3 days 04:05:06.7",
                    "04:05:06-03:30",
                    "192.168.0.1/24",
                    "101",
                    "{\"a\": [1.50, null, true], \"b\": {}}",
                    "{a,NULL,\"b c\"}",
                    "{\"2020-01-02 03:04:05+00\"}"),
            Arrays.asList("2", null, null, null, null, null, null, null));

    private static final String FAMILIES = "CREATE TABLE parted (id INT PRIMARY KEY, a STRING, b DECIMAL, c INT, d INT,"
            + " UNIQUE INDEX by_a (a) STORING (c, d), FAMILY (id, a), FAMILY (b), FAMILY (c, d))";

    private static final List<List<@Nullable String>> FAMILY_ROWS = List.of(
            List.of("1", "x", "1.50", "3", "4"),
            Arrays.asList("2", null, "2", null, null),
            Arrays.asList("3", "y", null, null, "5"),
            Arrays.asList("4", null, null, null, null));

    @TempDir
    Path temp;

    @Test
    void storeOfFormat1IsReadAndItsImportResumed() throws Exception {
        Path store = unzip("store-1.zip");
        Clock thatDay = Clock.fixed(WRITTEN, ZoneOffset.UTC);
        try (StorageNode node =
                StorageNode.openExisting(store, NodeSettings.defaults().withClock(thatDay))) {
            assertEquals(
                    Objects.requireNonNull(node.table("accounts")).imported(),
                    node.digest("accounts").indexes());
            assertEquals(ROWS, node.digest("accounts").rows());
            assertEquals(List.of("17", "owner-00017", "3.50"), node.get("accounts", List.of("17")));
            assertNotNull(node.session(IMPORT));
            try (ImportSession session = node.beginImport(interrupted())) {
                assertEquals(List.of("done"), List.copyOf(session.checkpoints().keySet()));
                List<IndexChecksum> present = session.present();
                session.finalizeIngest();
                session.publish(present);
            }
            assertEquals(20, node.digest("customers").rows());
        }
    }

    @Test
    void storeOfFormat2HasTheTypesThatVersion1Lacks() throws Exception {
        Path store = unzip("store-2.zip");
        assertTrue(Files.readString(store.resolve("sluice-store.json")).contains("\"version\":2"));
        try (StorageNode node = StorageNode.openExisting(store, NodeSettings.defaults())) {
            assertEquals(
                    Objects.requireNonNull(node.table("later")).imported(),
                    node.digest("later").indexes());
            for (List<@Nullable String> row : LATER_ROWS) {
                assertEquals(row, node.get("later", List.of(String.valueOf(row.get(0)))));
            }
        }
    }

    @Test
    void storeOfFormat3HasColumnFamilies() throws Exception {
        String file = System.getProperty("sluice.format.write");
        if (file != null) {
            write(Path.of(file));
        }
        Path store = unzip("store-3.zip");
        assertTrue(Files.readString(store.resolve("sluice-store.json")).contains("\"version\":3"));
        try (StorageNode node = StorageNode.openExisting(store, NodeSettings.defaults())) {
            assertEquals(FAMILY_ROWS.size(), node.digest("parted").rows());
            assertEquals(
                    Objects.requireNonNull(node.table("parted")).imported(),
                    node.digest("parted").indexes());
            for (List<@Nullable String> row : FAMILY_ROWS) {
                assertEquals(row, node.get("parted", List.of(String.valueOf(row.get(0)))));
            }
        }
    }

    /** Records of earlier versions have no families; their tables have one, whatever their DDL was. */
    @Test
    void tablesOfEarlierVersionsHaveOneFamily() throws Exception {
        for (String kept : List.of("store-1.zip", "store-2.zip")) {
            Path store = unzip(kept);
            try (StorageNode node = StorageNode.openExisting(
                    store, NodeSettings.defaults().withClock(Clock.fixed(WRITTEN, ZoneOffset.UTC)))) {
                assertEquals(1, node.tables().size());
                assertEquals(1, node.tables().get(0).table().def().families());
            }
            try (Stream<Path> files = Files.walk(store)) {
                for (Path path : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(path);
                }
            }
        }
    }

    @Test
    void storeGetsALaterVersionWithItsFirstTableThatNeedsIt() throws Exception {
        Path store = temp.resolve("raised");
        Path marker = store.resolve("sluice-store.json");
        Path ssts = Files.createDirectory(temp.resolve("ssts"));
        try (StorageNode node = StorageNode.open(store, NodeSettings.defaults())) {
            TestSsts.importTable(node, TestTables.accounts("accounts"), TestTables.accountRows(ROWS), ssts);
            assertTrue(Files.readString(marker).contains("\"version\":1"), "it has nothing that version 1 lacks");
            TestSsts.importTable(node, laterTypes(), LATER_ROWS, ssts);
            assertTrue(Files.readString(marker).contains("\"version\":2"));
            TestSsts.importTable(node, families(), FAMILY_ROWS, ssts);
            assertTrue(Files.readString(marker).contains("\"version\":3"));
        }
        try (StorageNode node = StorageNode.openExisting(store, NodeSettings.defaults())) {
            node.drop("later");
            node.drop("parted");
            assertTrue(Files.readString(marker).contains("\"version\":3"), "a version is never lowered");
            assertEquals(ROWS, node.digest("accounts").rows());
        }
    }

    private static TableDef laterTypes() {
        return Ddl.parse(LATER_TYPES, "later.sql").get(0);
    }

    private static TableDef families() {
        return Ddl.parse(FAMILIES, "parted.sql").get(0);
    }

    private static ImportRequest interrupted() {
        return new ImportRequest(TestTables.customers(), IngestTiming.AT_END, IMPORT, 0);
    }

    private void write(Path zip) throws Exception {
        Path store = temp.resolve("written");
        Path ssts = Files.createDirectory(temp.resolve("ssts"));
        try (StorageNode node = StorageNode.open(store, NodeSettings.defaults())) {
            TestSsts.importTable(node, families(), FAMILY_ROWS, ssts);
        }
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(zip));
                Stream<Path> files = Files.walk(store)) {
            for (Path path : files.skip(1).toList()) {
                boolean directory = Files.isDirectory(path);
                out.putNextEntry(new ZipEntry(store.relativize(path) + (directory ? "/" : "")));
                if (!directory) {
                    Files.copy(path, out);
                }
            }
        }
    }

    private Path unzip(String resource) throws IOException {
        Path store = Files.createDirectory(temp.resolve("store"));
        try (InputStream in = Objects.requireNonNull(StoredFormatTest.class.getResourceAsStream(resource));
                ZipInputStream zip = new ZipInputStream(in)) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                Path target = store.resolve(entry.getName());
                if (entry.isDirectory()) {
                    Files.createDirectories(target);
                } else {
                    Files.copy(zip, target);
                }
            }
        }
        return store;
    }
}
