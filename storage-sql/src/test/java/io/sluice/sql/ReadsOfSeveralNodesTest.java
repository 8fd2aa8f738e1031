package io.sluice.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.RangeDirectory;
import io.sluice.api.node.ScanRequest;
import io.sluice.api.node.TableStatus;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.thread.Interrupts;
import io.sluice.sql.distributed.ClusterSnapshot;
import io.sluice.sql.distributed.SnapshotScan;
import io.sluice.testing.MovableClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rows that are read from several nodes are of one moment, whatever other transactions do between the reads. */
@Timeout(60)
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class ReadsOfSeveralNodesTest {
    private static final int MOST_READS = 40;
    private static final int PAGES = 4;
    private static final int KVS_OF_PAGE = 1_024;
    /** The accounts of the transfer are on the first and the last node. */
    private static final String TRANSFER = """
            BEGIN;
            UPDATE account SET balance = balance - 1 WHERE id = 5;
            UPDATE account SET balance = balance + 1 WHERE id = 25;
            COMMIT""";

    @TempDir
    Path directory;

    private final MovableClock clock = new MovableClock();
    private DistributedStores stores;

    @BeforeEach
    void create() throws Exception {
        stores = new DistributedStores(directory, 1, 200, clock);
        stores.cluster = true;
        stores.create("CREATE TABLE account (id INT PRIMARY KEY, balance INT, INDEX by_balance (balance))");
        assertEquals("3", stores.run("INSERT INTO account VALUES (5, 100), (15, 100), (25, 100)"));
    }

    @AfterEach
    void close() {
        stores.close();
    }

    /** Runs a statement once for each of its reads, with a transfer by another client before that read. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT sum(balance) FROM account",
                "SELECT sum(balance) FROM account WHERE id IN (5, 15, 25)",
                "SELECT sum(balance) FROM account WHERE balance > 0",
                "SELECT sum(balance) FROM account WHERE id > 1 AND id < 28"
            })
    void transferBetweenTwoReadsIsSeenAsAWholeOrNotAtAll(String select) {
        int transfers = 0;
        boolean later = true;
        for (int read = 1; later; read++) {
            assertTrue(read < MOST_READS, "the statement always reads once more");
            AtomicInteger left = new AtomicInteger(read);
            stores.beforeRead = number -> {
                if (left.decrementAndGet() == 0) {
                    assertTrue(stores.run(TRANSFER).endsWith("commit"));
                }
            };
            assertEquals("[300]", stores.run(select), "with a transfer before read " + read);
            stores.beforeRead = number -> {};
            later = left.get() <= 0;
            transfers += later ? 1 : 0;
        }
        assertTrue(transfers > 2, transfers + " reads");
    }

    /** Reading the first node takes longer than the others keep a snapshot that is not read: 60 s. */
    @Test
    void statementReadsOneNodeForLongerThanTheOthersKeepIdleSnapshots() {
        String rows = IntStream.range(-PAGES * KVS_OF_PAGE, 0)
                .mapToObj(id -> "(" + id + ", 0)")
                .collect(Collectors.joining(", "));
        assertEquals(Integer.toString(PAGES * KVS_OF_PAGE), stores.run("INSERT INTO account VALUES " + rows));
        AtomicInteger first = new AtomicInteger();
        stores.beforeRead = first::set;
        assertEquals("[0]", stores.run("SELECT balance FROM account WHERE id = -1"));
        AtomicInteger reads = new AtomicInteger();
        AtomicInteger others = new AtomicInteger();
        stores.beforeRead = number -> {
            if (number != first.get()) {
                others.incrementAndGet();
            } else {
                int read = reads.incrementAndGet();
                // The first read takes the snapshot.
                awaitCount(others, read == 1 ? 0 : read * (DistributedStores.NODES - 1));
                clock.move(Duration.ofSeconds(25));
            }
        };
        assertEquals("[" + (PAGES * KVS_OF_PAGE + 3) + "]", stores.run("SELECT count(*) FROM account"));
        assertTrue(reads.get() > PAGES, reads + " reads");
    }

    /** A slow output keeps the reader from reading for longer than nodes keep a snapshot that is not read: 60 s. */
    @Test
    void snapshotThatIsNotReadIsKept() {
        AtomicInteger reads = new AtomicInteger();
        try (ClusterSnapshot snapshot = ClusterSnapshot.take(stores.tables(), List.of("account"), stores.node(0))) {
            stores.beforeRead = number -> reads.incrementAndGet();
            for (int kept = 1; kept <= 3; kept++) {
                clock.move(Duration.ofSeconds(25));
                awaitCount(reads, kept * DistributedStores.NODES);
            }
            assertEquals(3, snapshot.digest("account").rows());
        }
    }

    /** Waits some seconds at most: in them the nodes end idle snapshots. */
    private static void awaitCount(AtomicInteger count, int most) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(2);
        while (count.get() < most && System.nanoTime() - end < 0) {
            Thread.onSpinWait();
        }
    }

    /** As {@code sluice scan} does it. */
    @ParameterizedTest
    @ValueSource(strings = {"primary", "by_balance"})
    void scanIsOfOneMoment(String index) {
        boolean later = true;
        int read = 0;
        while (later) {
            read++;
            assertTrue(read < MOST_READS, "the scan always reads once more");
            AtomicInteger left = new AtomicInteger(read);
            stores.beforeRead = number -> {
                if (left.decrementAndGet() == 0) {
                    assertTrue(stores.run(TRANSFER).endsWith("commit"));
                }
            };
            assertEquals(300, sum(index), "with a transfer before read " + read);
            stores.beforeRead = number -> {};
            later = left.get() <= 0;
        }
        assertTrue(read > 4, read + " reads");
    }

    /** As {@code sluice backup} does it: all KVs, and the checksums that the nodes keep, before or after a transfer. */
    @Test
    void kvsAndChecksumsAreOfOneMoment() {
        boolean later = true;
        int read = 0;
        while (later) {
            read++;
            assertTrue(read < MOST_READS, "the snapshot always reads once more");
            AtomicInteger left = new AtomicInteger(read);
            stores.beforeRead = number -> {
                if (left.decrementAndGet() == 0) {
                    assertTrue(stores.run(TRANSFER).endsWith("commit"));
                }
            };
            try (ClusterSnapshot snapshot = ClusterSnapshot.take(stores.tables(), List.of(), stores.node(0))) {
                TableStatus account = Objects.requireNonNull(snapshot.table("account"));
                assertTrue(account.counted());
                assertEquals(snapshot.digest(account), snapshot.digest("account"), "a transfer before read " + read);
            }
            stores.beforeRead = number -> {};
            later = left.get() <= 0;
        }
        assertTrue(read > 4, read + " reads");
    }

    /** Its answer would be taken for that of a node which has found no change. */
    @Test
    void nodeOfAnEarlierBuildHasNoSnapshotWithOthers() {
        stores.knowsUnchanged = false;
        OperationFailedException refused = assertThrows(
                OperationFailedException.class,
                () -> ClusterSnapshot.take(stores.tables(), List.of("account"), stores.node(0)));
        assertTrue(String.valueOf(refused.getMessage()).contains("of an earlier build"), refused.toString());
    }

    /** The KVs of a row in several families are joined, and those of interleaved rows among them are passed over. */
    @Test
    void scanShowsWholeRows() throws Exception {
        stores.create("""
                CREATE TABLE parent (id INT PRIMARY KEY, a INT, b INT, INDEX by_a (a),
                    FAMILY f (id, a), FAMILY g (b));
                CREATE TABLE child (id INT, n INT, PRIMARY KEY (id, n)) INTERLEAVE IN PARENT parent (id)""");
        assertEquals("4", stores.run("INSERT INTO parent VALUES (5, 40, 1), (6, 30, NULL), (15, 20, 3), (25, 10, 4)"));
        assertEquals("3", stores.run("INSERT INTO child VALUES (5, 1), (5, 2), (15, 1)"));
        assertEquals(
                "[[5, 40, 1], [6, 30, null], [15, 20, 3], [25, 10, 4]]",
                scan("parent", "primary").toString());
        assertEquals(
                "[[25, 10, 4], [15, 20, 3], [6, 30, null], [5, 40, 1]]",
                scan("parent", "by_a").toString());
        assertEquals("[[5, 1], [5, 2], [15, 1]]", scan("child", "primary").toString());
    }

    private int sum(String index) {
        return scan("account", index).stream()
                .mapToInt(row -> Integer.parseInt(row.get(1)))
                .sum();
    }

    private List<List<String>> scan(String table, String index) {
        ScanRequest request = new ScanRequest(table, index.equals("primary") ? null : index, List.of(), List.of(), 10);
        List<List<String>> all = new ArrayList<>();
        try (SnapshotScan rows = new SnapshotScan(
                ClusterSnapshot.take(stores.tables(), List.of(table), stores.node(0)),
                request,
                rest -> {
                    throw new AssertionError(rest.toString());
                },
                warning -> {})) {
            for (List<String> row = rows.next(); row != null; row = rows.next()) {
                all.add(row);
            }
        }
        return all;
    }

    /** Without help the statement would find a transfer in each of its tries. */
    @Test
    void writersThatNeverPauseDoNotKeepAReaderAway() {
        AtomicInteger refused = new AtomicInteger();
        AtomicBoolean own = new AtomicBoolean();
        stores.beforeRead = number -> {
            // The reads of the transfer come here too.
            if (number == 2 && own.compareAndSet(false, true)) {
                try {
                    String done = stores.run(TRANSFER);
                    if (!done.endsWith("commit")) {
                        assertTrue(done.contains("at this moment"), done);
                        refused.incrementAndGet();
                    }
                } finally {
                    own.set(false);
                }
            }
        };
        for (int i = 0; i < 3; i++) {
            assertEquals("[300]", stores.run("SELECT sum(balance) FROM account"));
        }
        assertTrue(refused.get() > 0);
    }

    /** The snapshot of the first node is taken before another client's transfer, those of the others after it. */
    @Test
    void transactionWhoseReadsAreOfDifferentMomentsIsNotCommitted() throws Exception {
        CountDownLatch others = new CountDownLatch(DistributedStores.NODES - 1);
        CountDownLatch transferred = new CountDownLatch(1);
        AtomicInteger first = new AtomicInteger();
        stores.beforeRead = first::set;
        assertEquals("[100]", stores.run("SELECT balance FROM account WHERE id = 5"));
        stores.beforeRead = number -> {
            if (number != first.get()) {
                others.countDown();
                Interrupts.outlast(transferred::await);
            }
        };
        try (SqlSession session = stores.engine().open()) {
            assertEquals("begin\n[100]", SqlStore.run(session, "BEGIN; SELECT balance FROM account WHERE id = 5"));
            others.await();
            stores.beforeRead = number -> {};
            assertTrue(stores.run(TRANSFER).endsWith("commit"));
            transferred.countDown();
            assertEquals("[101]", SqlStore.run(session, "SELECT balance FROM account WHERE id = 25"));
            String end = SqlStore.run(session, "COMMIT");
            assertTrue(end.contains("CONFLICT: "), end);
        }
    }

    /** Later changes do not matter to snapshots that were found to be of one moment. */
    @Test
    void transactionThatScannedFirstIsCommittedWhateverChangesAfterwards() {
        try (SqlSession session = stores.engine().open()) {
            assertEquals("begin\n[300]", SqlStore.run(session, "BEGIN; SELECT sum(balance) FROM account"));
            assertTrue(stores.run(TRANSFER).endsWith("commit"));
            assertEquals(
                    "[100]\n[100]\ncommit",
                    SqlStore.run(
                            session,
                            "SELECT balance FROM account WHERE id = 5; SELECT balance FROM account WHERE id = 25;"
                                    + " COMMIT"));
        }
    }

    /** Nodes apply an entry that publishes an append one after the other; with it, the directory gets a new epoch. */
    @Test
    void versionsOfATableAreNotReadTogether() {
        long epoch = Objects.requireNonNull(stores.node(0).table("account"))
                        .directory()
                        .epoch()
                + 1;
        publish(0, epoch);
        stores.replaceCoordinator();
        AtomicInteger left = new AtomicInteger(12);
        stores.beforeRead = number -> {
            if (left.decrementAndGet() == 0) {
                publish(1, epoch);
                publish(2, epoch);
            }
        };
        assertEquals("[300]", stores.run("SELECT sum(balance) FROM account"));
        assertTrue(left.get() <= 0, "read while nodes had two versions");
    }

    private void publish(int node, long epoch) {
        TableStatus account = Objects.requireNonNull(stores.node(node).table("account"));
        RangeDirectory ranges = account.directory();
        stores.node(node).catalog().move(account.table().id(), ranges.atEpoch(epoch), account.published());
    }
}
