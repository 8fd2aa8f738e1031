package io.sluice.node;

import io.sluice.api.error.BadInputException;
import io.sluice.node.ingest.FaultPoints;
import io.sluice.node.ingest.IngestSettings;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;

/**
 * How a storage node runs.
 *
 * @param blockCacheBytes memory for blocks that are read again
 * @param readThreads threads that read a table to verify it
 * @param ingest how SSTs are taken in as they come
 * @param clock tells the time
 * @param faults told of every durable step of an import; for tests
 */
public record NodeSettings(
        long blockCacheBytes, int readThreads, IngestSettings ingest, Clock clock, FaultPoints faults) {
    /** Enough for the inner blocks of a few tables; imports do not use it. */
    private static final long DEFAULT_BLOCK_CACHE_BYTES = 64L << 20;

    private static final int MAX_READ_THREADS = 256;

    /**
     * Checks all settings.
     *
     * @throws BadInputException when some are out of range; the message lists all of those
     */
    public NodeSettings {
        List<String> wrong = new ArrayList<>();
        if (blockCacheBytes < 0) {
            wrong.add("block cache: " + blockCacheBytes + " bytes, must not be negative");
        }
        if (readThreads < 1 || readThreads > MAX_READ_THREADS) {
            wrong.add("read threads: " + readThreads + ", must be 1 to " + MAX_READ_THREADS);
        }
        if (!wrong.isEmpty()) {
            throw new BadInputException("storage node settings: " + String.join("; ", wrong));
        }
    }

    /** For this machine: a small cache, and one reading thread per core but at least two. */
    public static NodeSettings defaults() {
        int cores = Runtime.getRuntime().availableProcessors();
        return new NodeSettings(
                DEFAULT_BLOCK_CACHE_BYTES,
                Math.min(MAX_READ_THREADS, Math.max(2, cores)),
                IngestSettings.defaults(),
                Clock.systemUTC(),
                FaultPoints.none());
    }

    public NodeSettings withBlockCacheBytes(long bytes) {
        return new NodeSettings(bytes, readThreads, ingest, clock, faults);
    }

    public NodeSettings withReadThreads(int threads) {
        return new NodeSettings(blockCacheBytes, threads, ingest, clock, faults);
    }

    public NodeSettings withIngest(IngestSettings other) {
        return new NodeSettings(blockCacheBytes, readThreads, other, clock, faults);
    }

    public NodeSettings withClock(Clock other) {
        return new NodeSettings(blockCacheBytes, readThreads, ingest, other, faults);
    }

    public NodeSettings withFaults(FaultPoints other) {
        return new NodeSettings(blockCacheBytes, readThreads, ingest, clock, other);
    }
}
