package io.sluice.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.KvPage;
import io.sluice.api.node.RangeDirectory;
import io.sluice.api.node.SstFile;
import io.sluice.model.error.BadInputException;
import io.sluice.model.kv.IndexKeys;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.Table;
import io.sluice.testing.TestSsts;
import java.nio.file.Path;
import java.util.AbstractList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests when the pages of a copy are written to a node that holds the range. The test takes the place of the cluster's
 * log.
 */
class ReplicaPagesTest {
    private static final int TABLE_ID = 7;
    private static final String OWNER = "repair";

    /** A page that is late must not replace rows that were changed after the thaw. */
    @Test
    void thawWaitsForAPageThatIsBeingWritten(@TempDir Path directory) throws Exception {
        try (StorageNode node = StorageNode.open(directory.resolve("node"), NodeSettings.defaults())) {
            Table table = importTable(node, directory);
            node.catalog().freeze(1, Map.of(TABLE_ID, OWNER));
            node.replicas().begin(OWNER, Objects.requireNonNull(node.table("pairs")));
            KeySpan span = new IndexKeys(table).span(0);
            KvPage page = node.replicas().source().page(TABLE_ID, span, Long.MAX_VALUE, false);
            CountDownLatch begun = new CountDownLatch(1);
            CountDownLatch released = new CountDownLatch(1);
            KvPage slow = new KvPage(page.end(), page.sums(), waiting(page.keys(), begun, released), page.values());
            Thread writer = new Thread(() -> node.replicas().replace(TABLE_ID, OWNER, 1, span, slow));
            Thread thaw = new Thread(() -> node.catalog().freeze(2, Map.of()));
            writer.start();
            assertTrue(begun.await(20, TimeUnit.SECONDS));
            thaw.start();
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
            while (thaw.isAlive() && thaw.getState() != Thread.State.WAITING && System.nanoTime() - end < 0) {
                Thread.onSpinWait();
            }
            boolean thawed = !thaw.isAlive();
            released.countDown();
            writer.join(20_000);
            thaw.join(20_000);
            assertFalse(thawed, "the table was thawed while a page was being written");
            assertFalse(writer.isAlive() || thaw.isAlive());
            assertThrows(BadInputException.class, () -> node.replicas().replace(TABLE_ID, OWNER, 2, span, page));
        }
    }

    private static Table importTable(StorageNode node, Path directory) throws Exception {
        try (ImportSession session = node.beginImport(new ImportRequest(
                Ddl.parse("CREATE TABLE pairs (id INT8 PRIMARY KEY, name STRING)", "test")
                        .get(0),
                IngestTiming.AT_END,
                new UUID(1, 1),
                TABLE_ID))) {
            Table table = session.table();
            SstFile rows = TestSsts.build(table, List.of(List.of("1", "one"), List.of("2", "two")), directory)
                    .get(0);
            session.assign(new RangeDirectory(
                    1,
                    List.of(new RangeDirectory.Range(
                            new byte[0], List.of(node.status().id())))));
            session.ship(rows, 1);
            session.finalizeIngest();
            session.publish(
                    List.of(new IndexChecksum(table.indexes().get(0).def().name(), rows.sum())));
            assertEquals(2, rows.sum().count());
            return table;
        }
    }

    /** The keys; the first read of one waits. */
    private static List<byte[]> waiting(List<byte[]> keys, CountDownLatch begun, CountDownLatch released) {
        return new AbstractList<>() {
            @Override
            public byte[] get(int index) {
                begun.countDown();
                try {
                    assertTrue(released.await(20, TimeUnit.SECONDS));
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                return keys.get(index);
            }

            @Override
            public int size() {
                return keys.size();
            }
        };
    }
}
