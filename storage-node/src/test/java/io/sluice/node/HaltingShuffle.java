package io.sluice.node;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.ShuffleBatch;
import io.sluice.model.schema.Table;
import io.sluice.testing.TestBatches;
import io.sluice.testing.TestTables;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/** A process that sends accounts to a node for sorting, and halts at a point without cleanup. */
final class HaltingShuffle {
    static final int EXIT_CODE = 87;

    static final String IMPORT_ID = "5f1c2a58-9a36-4f0e-8d52-6a0c7b1d2e3f";

    private static final int ROWS = 200;

    private HaltingShuffle() {}

    public static void main(String[] args) throws Exception {
        NodeSettings settings = NodeSettings.defaults().withFaults(point -> {
            if (point.equals(args[1])) {
                Runtime.getRuntime().halt(EXIT_CODE);
            }
        });
        UUID importId = args.length > 2 ? UUID.fromString(args[2]) : null;
        ImportRequest request = new ImportRequest(TestTables.accounts("accounts"), IngestTiming.SHUFFLED, importId, 0);
        try (StorageNode node = StorageNode.open(Path.of(args[0], "store"), settings);
                ImportSession session = node.beginImport(request)) {
            for (ShuffleBatch batch : batches(session.table())) {
                TestBatches.send(session, batch);
            }
            session.finalizeIngest();
            session.publish(session.present());
        }
    }

    /** Creates the same batches in every process: the first that it creates. */
    static List<ShuffleBatch> batches(Table table) {
        return TestBatches.of(table, TestTables.accountRows(ROWS), 10, new AtomicLong(1));
    }
}
