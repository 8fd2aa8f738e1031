package io.sluice.sql.distributed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.engine.store.RocksStore;
import io.sluice.engine.store.RowBatch;
import io.sluice.engine.store.WriteSet;
import io.sluice.node.catalog.SharedTransactions;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Of a transaction without a record it is told apart whether it was not committed or that cannot be known any more. */
class CommitRecordsTest {
    private static final long CACHE_BYTES = 8L << 20;
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final int COMMITS = CommitRecords.KEPT + 1024;

    private static CommitRecords records(RocksStore store) {
        return new CommitRecords(store, new SharedTransactions(store));
    }

    @Test
    void theOldestAreDroppedAndKnownToBe(@TempDir Path directory) {
        TransactionIds early = new TransactionIds(Clock.fixed(NOW, ZoneOffset.UTC), 0);
        UUID first = early.next();
        UUID asked = early.next();
        UUID last;
        try (RocksStore store = RocksStore.open(directory.resolve("db"), CACHE_BYTES)) {
            CommitRecords records = records(store);
            WriteSet writes = new WriteSet();
            records.add(writes, first, List.of());
            records.add(writes, asked, List.of("another node"));
            store.write(new RowBatch(), writes);
            records.added(first, List.of());
            records.added(asked, List.of("another node"));
            TransactionIds late = new TransactionIds(Clock.fixed(NOW.plusMillis(1), ZoneOffset.UTC), 0);
            List<UUID> more = new ArrayList<>();
            for (int i = 1; i < COMMITS; i++) {
                more.add(late.next());
            }
            last = more.get(more.size() - 1);
            assertTrue(records.committed(first));
            assertFalse(records.forgotten(first));
            more.forEach(id -> records.added(id, List.of()));
            assertFalse(records.committed(first));
            assertTrue(records.forgotten(first));
            assertTrue(records.committed(asked), "another node may still ask");
            assertTrue(records.committed(last));
        }
        try (RocksStore store = RocksStore.open(directory.resolve("db"), CACHE_BYTES)) {
            CommitRecords records = records(store);
            assertFalse(records.committed(first));
            assertTrue(records.forgotten(first));
            assertTrue(records.committed(asked));
            TransactionIds again =
                    new TransactionIds(Clock.fixed(NOW.minusSeconds(1), ZoneOffset.UTC), records.forgottenThrough());
            UUID next = again.next();
            assertFalse(records.forgotten(next), "a clock that was set back makes no new id an old one");
            assertEquals(7, next.version());
            records.forget(asked, List.of("another node"));
            assertTrue(records.committed(asked), "its coordinator may repeat the commit");
        }
    }
}
