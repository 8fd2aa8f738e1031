package io.sluice.node;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.ShuffleBatch;
import java.nio.file.Path;

/** A process that has a node sort accounts, and halts without a farewell when it passes a point. */
final class HaltingShuffle {
    static final int EXIT_CODE = 87;

    private static final int ROWS = 200;

    private HaltingShuffle() {}

    public static void main(String[] args) throws Exception {
        NodeSettings settings = NodeSettings.defaults().withFaults(point -> {
            if (point.equals(args[1])) {
                Runtime.getRuntime().halt(EXIT_CODE);
            }
        });
        try (StorageNode node = StorageNode.open(Path.of(args[0], "store"), settings);
                ImportSession session =
                        node.beginImport(ImportRequest.of(TestTables.accounts("accounts"), IngestTiming.SHUFFLED))) {
            for (ShuffleBatch batch : TestBatches.of(session.table(), TestTables.accountRows(ROWS), 10)) {
                TestBatches.send(session, batch);
            }
            session.settle();
            session.publish(session.present());
        }
    }
}
