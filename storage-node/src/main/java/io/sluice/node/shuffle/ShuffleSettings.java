package io.sluice.node.shuffle;

import io.sluice.model.error.BadInputException;
import java.util.ArrayList;
import java.util.List;

/**
 * Settings of the buffer for one import whose KVs the node sorts.
 *
 * @param memtableBytes bytes of KVs in memory before they become one sorted run on disk
 * @param memtables number of memtables: one fills while the others are flushed
 * @param runsPerMerge number of runs of similar size that are compacted into one, which limits the runs to read
 * @param sstBytes bytes of KVs at which an SST of the sorted result ends
 * @param stallMillis time after which the sender repeats a batch that a full buffer deferred
 */
public record ShuffleSettings(long memtableBytes, int memtables, int runsPerMerge, long sstBytes, long stallMillis) {
    private static final long MIN_MEMTABLE_BYTES = 64 << 10;

    /**
     * Checks all settings.
     *
     * @throws BadInputException when a setting is out of range; the message lists all that are
     */
    public ShuffleSettings {
        List<String> wrong = new ArrayList<>();
        if (memtableBytes < MIN_MEMTABLE_BYTES) {
            wrong.add("memtable: " + memtableBytes + " bytes, must be at least " + MIN_MEMTABLE_BYTES);
        }
        if (memtables < 2) {
            wrong.add("memtables: " + memtables + ", must be at least 2");
        }
        if (runsPerMerge < 2) {
            wrong.add("runs per merge: " + runsPerMerge + ", must be at least 2");
        }
        if (sstBytes < 1) {
            wrong.add("SST: " + sstBytes + " bytes, must be at least 1");
        }
        if (stallMillis < 1) {
            wrong.add("stall: " + stallMillis + " ms, must be at least 1");
        }
        if (!wrong.isEmpty()) {
            throw new BadInputException("shuffle settings: " + String.join("; ", wrong));
        }
    }

    /**
     * The defaults: 3 x 64 MiB of memory. 64 runs of 64 MiB, 4 GiB, are written once; up to 64 times that, 256 GiB, is
     * written twice. A read has at most 128 runs open, at 256 KiB each.
     */
    public static ShuffleSettings defaults() {
        return new ShuffleSettings(64L << 20, 3, 64, 64L << 20, 20);
    }
}
