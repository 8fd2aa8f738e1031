package io.sluice.node;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.SstFile;
import io.sluice.engine.store.FamilyNames;
import io.sluice.engine.store.RocksStore;
import io.sluice.model.error.OperationFailedException;
import io.sluice.node.ingest.FaultPoints;
import io.sluice.testing.FailingSync;
import io.sluice.testing.TestSsts;
import io.sluice.testing.TestTables;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A process in which RocksDB fails to drop a column family once: of a store, of a table, or of small SSTs. */
final class FailingSyncDrop {
    private static final Path FAILS = Path.of(System.getenv().getOrDefault("FAILING_SYNC", "none"));

    private FailingSyncDrop() {}

    public static void main(String[] args) throws Exception {
        switch (args[1]) {
            case "store" -> store(Path.of(args[0]));
            case "table" -> table(Path.of(args[0]));
            default -> flush(Path.of(args[0]));
        }
    }

    private static void store(Path directory) throws Exception {
        String name = FamilyNames.ofTable(1);
        try (RocksStore store = RocksStore.open(directory, 1 << 20)) {
            store.createFamily(name);
            Files.createFile(FAILS);
            try {
                store.dropFamily(name);
                FailingSync.say("dropped");
            } catch (OperationFailedException e) {
                FailingSync.say("failed");
            }
            FailingSync.say(store.find(name) == null ? "not found" : "found");
            store.dropFamily(name);
            // RocksDB refuses to create one that it has.
            FailingSync.say(store.createFamily(name).name());
        }
    }

    private static void table(Path directory) throws Exception {
        try (StorageNode node = StorageNode.open(directory, NodeSettings.defaults())) {
            Path files = Files.createDirectory(directory.resolveSibling("ssts"));
            var unused = TestSsts.importTable(node, TestTables.accounts("accounts"), TestTables.accountRows(10), files);
            create();
            try {
                node.drop("accounts");
                FailingSync.say("dropped");
            } catch (OperationFailedException e) {
                FailingSync.say("failed");
            }
            FailingSync.say(node.store().dataFamilies());
            node.removeExpiredImports();
            FailingSync.say(node.store().dataFamilies());
            FailingSync.say(node.catalog().drops().pending());
        }
    }

    private static void flush(Path directory) throws Exception {
        FaultPoints faults = point -> {
            if (point.equals(FaultPoints.FLUSH_INGESTED)) {
                create();
            }
        };
        NodeSettings settings = HaltingResumable.settings(1 << 20).withFaults(faults);
        try (StorageNode node = StorageNode.open(directory, settings)) {
            ImportSession session =
                    node.beginImport(ImportRequest.of(TestTables.accounts("accounts"), IngestTiming.ON_ARRIVAL));
            Path files = Files.createDirectory(directory.resolveSibling("ssts"));
            List<SstFile> ssts = HaltingResumable.ssts(session, files);
            List<IndexChecksum> sums = TestSsts.sums(session.table(), ssts);
            ssts.forEach(session::ship);
            session.finalizeIngest();
            session.publish(sums);
            FailingSync.say(Files.exists(FAILS) ? "did not fail" : "failed");
            FailingSync.say(node.digest("accounts").indexes().equals(sums) ? "whole" : "not whole");
            FailingSync.say(node.store().dataFamilies());
        }
    }

    private static void create() {
        try {
            Files.createFile(FAILS);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
