package io.sluice.node;

import io.sluice.testing.TestSsts;
import io.sluice.testing.TestTables;
import java.nio.file.Path;

/** A process that imports accounts into a store and halts at a point without cleanup. */
final class HaltingImport {
    static final int ROWS = 50;
    static final int EXIT_CODE = 86;

    private HaltingImport() {}

    public static void main(String[] args) throws Exception {
        Path directory = Path.of(args[0]);
        NodeSettings settings = NodeSettings.defaults().withFaults(point -> {
            if (point.equals(args[1])) {
                Runtime.getRuntime().halt(EXIT_CODE);
            }
        });
        try (StorageNode node = StorageNode.open(directory.resolve("store"), settings)) {
            TestSsts.importTable(node, TestTables.accounts("accounts"), TestTables.accountRows(ROWS), directory);
        }
    }
}
