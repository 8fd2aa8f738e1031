package io.sluice.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.TableTuning;
import io.sluice.model.error.BadInputException;
import io.sluice.testing.TestSsts;
import io.sluice.testing.TestTables;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that a table's tuning is durable, is off during imports into its tree, and is removed with the table. */
class TombstoneTuningTest {
    private static final TableTuning EIGHT = new TableTuning(8);

    @TempDir
    Path temp = Path.of("");

    private StorageNode open() {
        return StorageNode.open(temp.resolve("store"), NodeSettings.defaults());
    }

    @Test
    void tuningIsDurable() throws Exception {
        try (StorageNode node = open()) {
            TestSsts.importTable(node, TestTables.customers(), TestTables.customerRows(10), temp);
            assertEquals(TableTuning.USUAL, node.tuning("customers").tuning());
            assertEquals(EIGHT, node.tune("customers", EIGHT).tuning());
        }
        try (StorageNode node = open()) {
            assertEquals(EIGHT, node.tuning("customers").tuning());
            assertTrue(node.tuning("customers").inForce());
            node.tune("customers", TableTuning.USUAL);
        }
        try (StorageNode node = open()) {
            assertEquals(TableTuning.USUAL, node.tuning("customers").tuning());
            assertThrows(BadInputException.class, () -> node.tuning("nobody"));
            assertThrows(BadInputException.class, () -> new TableTuning(-1));
        }
    }

    @Test
    void tuningIsOffDuringAnImportIntoTheTree() throws Exception {
        try (StorageNode node = open()) {
            TestSsts.importTable(node, TestTables.customers(), TestTables.customerRows(10), temp);
            node.tune("customers", EIGHT);
            try (ImportSession orders = node.beginImport(ImportRequest.of(TestTables.orders(), IngestTiming.AT_END))) {
                assertFalse(node.tuning("customers").inForce());
                TestSsts.shipAll(orders, TestTables.orderRows(10), temp);
            }
            assertTrue(node.tuning("customers").inForce());
            TestSsts.importTable(node, TestTables.orders(), TestTables.orderRows(10), temp);
            assertTrue(node.tuning("customers").inForce());
            assertEquals(EIGHT, node.tuning("orders").tuning());
            ImportSession left = node.beginImport(ImportRequest.append(TestTables.customers()));
            assertFalse(node.tuning("orders").inForce());
            left.close();
            assertTrue(node.tuning("orders").inForce());
        }
    }

    @Test
    void droppingTheTableRemovesItsTuning() throws Exception {
        try (StorageNode node = open()) {
            TestSsts.importTable(node, TestTables.customers(), TestTables.customerRows(10), temp);
            node.tune("customers", EIGHT);
            node.drop("customers");
            TestSsts.importTable(node, TestTables.customers(), TestTables.customerRows(10), temp);
            assertEquals(TableTuning.USUAL, node.tuning("customers").tuning());
        }
    }
}
