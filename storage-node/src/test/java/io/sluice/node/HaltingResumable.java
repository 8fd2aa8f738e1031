package io.sluice.node;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.ShipAnswer;
import io.sluice.api.node.SstFile;
import io.sluice.node.ingest.IngestSettings;
import io.sluice.testing.TestSsts;
import io.sluice.testing.TestTables;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * A process that imports accounts into a store, resumes an existing import, and halts at a point without cleanup.
 * Prints the id of every acknowledged SST.
 */
final class HaltingResumable {
    static final UUID ID = new UUID(3, 3);
    static final int PARTS = 4;
    static final int ROWS_PER_PART = 30;

    private HaltingResumable() {}

    public static void main(String[] args) throws Exception {
        Path directory = Path.of(args[0]);
        String point = args[1];
        IngestTiming timing = IngestTiming.valueOf(args[2]);
        NodeSettings settings = settings(Long.parseLong(args[3])).withFaults(passed -> {
            if (passed.equals(point)) {
                Runtime.getRuntime().halt(HaltingImport.EXIT_CODE);
            }
        });
        try (StorageNode node = StorageNode.open(directory.resolve("store"), settings)) {
            ImportSession session = node.beginImport(new ImportRequest(TestTables.accounts("accounts"), timing, ID, 0));
            session.putCheckpoint("note", new byte[] {1});
            List<SstFile> ssts = ssts(session, Files.createTempDirectory(directory, "ssts"));
            for (SstFile sst : ssts) {
                if (session.ship(sst) instanceof ShipAnswer.Taken) {
                    System.out.println(sst.id());
                }
            }
            session.finalizeIngest();
            session.publish(session.present());
        }
    }

    static NodeSettings settings(long smallSstBytes) {
        return NodeSettings.defaults()
                .withReadThreads(2)
                .withIngest(IngestSettings.defaults().withSmallSstBytes(smallSstBytes));
    }

    /** The same SSTs every time, with the same ids. */
    static List<SstFile> ssts(ImportSession session, Path directory) throws Exception {
        var rows = TestTables.accountRows(PARTS * ROWS_PER_PART);
        List<SstFile> ssts = new ArrayList<>();
        for (int part = 0; part < PARTS; part++) {
            var some = rows.subList(part * ROWS_PER_PART, (part + 1) * ROWS_PER_PART);
            for (SstFile built : TestSsts.build(session.table(), some, directory)) {
                ssts.add(TestSsts.renamed(built, new UUID(part, built.indexId())));
            }
        }
        return ssts;
    }
}
