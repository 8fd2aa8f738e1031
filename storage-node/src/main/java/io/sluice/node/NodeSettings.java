package io.sluice.node;

import io.sluice.engine.cache.RowCache;
import io.sluice.model.error.BadInputException;
import io.sluice.node.ingest.FaultPoints;
import io.sluice.node.ingest.IngestSettings;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Settings of a storage node.
 *
 * @param blockCacheBytes size of the block cache
 * @param readThreads threads that compute a table's digest
 * @param ingest settings of staging, admission and ingestion
 * @param importLeaseMillis how long the node keeps a resumable import that no client touches
 * @param clock source of the time of leases and waits; not of logs
 * @param faults called at every durable step of an import; for tests
 * @param rowCacheBytes size of the row cache, in addition to the block cache; 0 for none
 */
public record NodeSettings(
        long blockCacheBytes,
        int readThreads,
        IngestSettings ingest,
        long importLeaseMillis,
        Clock clock,
        FaultPoints faults,
        long rowCacheBytes) {
    /** Enough for the inner blocks of a few tables; imports do not use it. */
    private static final long DEFAULT_BLOCK_CACHE_BYTES = 64L << 20;

    private static final int MAX_READ_THREADS = 256;
    /** An import that is paused in the evening can be resumed in the morning. */
    private static final long DEFAULT_LEASE_MILLIS = Duration.ofHours(24).toMillis();

    /**
     * Checks all settings.
     *
     * @throws BadInputException when a setting is out of range; the message lists all that are
     */
    public NodeSettings {
        List<String> wrong = new ArrayList<>();
        if (blockCacheBytes < 0) {
            wrong.add("block cache: " + blockCacheBytes + " bytes, must not be negative");
        }
        if (rowCacheBytes != 0 && rowCacheBytes < RowCache.LEAST_BYTES) {
            wrong.add("row cache: " + rowCacheBytes + " bytes, must be 0 for none or at least " + RowCache.LEAST_BYTES);
        }
        if (readThreads < 1 || readThreads > MAX_READ_THREADS) {
            wrong.add("read threads: " + readThreads + ", must be 1 to " + MAX_READ_THREADS);
        }
        if (importLeaseMillis < 0) {
            wrong.add("import lease: " + importLeaseMillis + " ms, must not be negative");
        }
        if (!wrong.isEmpty()) {
            throw new BadInputException("storage node settings: " + String.join("; ", wrong));
        }
    }

    /** Defaults for this machine: a small block cache, and one read thread per core but at least two. */
    public static NodeSettings defaults() {
        int cores = Runtime.getRuntime().availableProcessors();
        return new NodeSettings(
                DEFAULT_BLOCK_CACHE_BYTES,
                Math.min(MAX_READ_THREADS, Math.max(2, cores)),
                IngestSettings.defaults(),
                DEFAULT_LEASE_MILLIS,
                new SteadyClock(),
                FaultPoints.none(),
                0);
    }

    public NodeSettings withBlockCacheBytes(long bytes) {
        return new NodeSettings(bytes, readThreads, ingest, importLeaseMillis, clock, faults, rowCacheBytes);
    }

    public NodeSettings withReadThreads(int threads) {
        return new NodeSettings(blockCacheBytes, threads, ingest, importLeaseMillis, clock, faults, rowCacheBytes);
    }

    public NodeSettings withIngest(IngestSettings other) {
        return new NodeSettings(blockCacheBytes, readThreads, other, importLeaseMillis, clock, faults, rowCacheBytes);
    }

    public NodeSettings withClock(Clock other) {
        return new NodeSettings(blockCacheBytes, readThreads, ingest, importLeaseMillis, other, faults, rowCacheBytes);
    }

    public NodeSettings withFaults(FaultPoints other) {
        return new NodeSettings(blockCacheBytes, readThreads, ingest, importLeaseMillis, clock, other, rowCacheBytes);
    }

    public NodeSettings withRowCacheBytes(long bytes) {
        return new NodeSettings(blockCacheBytes, readThreads, ingest, importLeaseMillis, clock, faults, bytes);
    }
}
