package io.sluice.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.SstFile;
import io.sluice.testing.TestSsts;
import io.sluice.testing.TestTables;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A store that an earlier build wrote stays readable. {@code store-1.zip} is a store of format version 1 with a
 * published table and an import that waits to be resumed. It is never written anew: a later format gets a file of its
 * own, made with {@code -Dsluice.format.write=FILE}, and a test of its own.
 */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class StoredFormatTest {
    private static final UUID IMPORT = new UUID(5, 5);
    private static final int ROWS = 50;

    /** A moment of the hour in which the store was written: its import is kept for 24 hours from then. */
    private static final Instant WRITTEN = Instant.parse("2026-11-22T20:00:00Z");

    @TempDir
    Path temp;

    @Test
    void storeOfFormat1IsReadAndItsImportResumed() throws Exception {
        String file = System.getProperty("sluice.format.write");
        if (file != null) {
            write(Path.of(file));
        }
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

    private static ImportRequest interrupted() {
        return new ImportRequest(TestTables.customers(), IngestTiming.AT_END, IMPORT, 0);
    }

    private void write(Path zip) throws Exception {
        Path store = temp.resolve("written");
        Path ssts = Files.createDirectory(temp.resolve("ssts"));
        try (StorageNode node = StorageNode.open(store, NodeSettings.defaults())) {
            TestSsts.importTable(node, TestTables.accounts("accounts"), TestTables.accountRows(ROWS), ssts);
            ImportSession session = node.beginImport(interrupted());
            session.putCheckpoint("done", new byte[] {1});
            for (SstFile sst : TestSsts.build(session.table(), TestTables.customerRows(20), ssts)) {
                session.ship(sst);
            }
            session.detach();
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
