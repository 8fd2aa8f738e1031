package io.sluice.node.shuffle;

import io.sluice.api.error.BadInputException;
import java.util.ArrayList;
import java.util.List;

/**
 * How a node buffers the KVs of one import that it is to sort.
 *
 * @param memtableBytes KVs that are gathered in memory before they become one sorted run on disk
 * @param memtables how many of those there are at a time, one filling and the others being written
 * @param runsPerMerge how many runs of about one size are merged into one, so that reading never has more of them
 * @param sstBytes KVs at which an SST of the sorted result ends
 * @param stallMillis how soon a batch that met a full buffer is to come again
 */
public record ShuffleSettings(long memtableBytes, int memtables, int runsPerMerge, long sstBytes, long stallMillis) {
    private static final long MIN_MEMTABLE_BYTES = 64 << 10;

    /**
     * Checks all settings.
     *
     * @throws BadInputException when some are out of range; the message lists all of those
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
     * For this machine: 3 x 64 MiB of memory. 64 runs of 64 MiB are 4 GiB that are written once; up to 64 times that,
     * 256 GiB, is written twice; and reading has at most 128 runs open, at 256 KiB each.
     */
    public static ShuffleSettings defaults() {
        return new ShuffleSettings(64L << 20, 3, 64, 64L << 20, 20);
    }
}
