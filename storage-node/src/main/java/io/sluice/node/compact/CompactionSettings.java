package io.sluice.node.compact;

import io.sluice.api.error.BadInputException;
import java.util.ArrayList;
import java.util.List;

/**
 * When and how much to merge. Heights are sublevels as {@link SublevelMap#top} counts them.
 *
 * <p>Write amplification counts every byte once for its arrival, and once more each time it is rewritten. An import
 * that lays R runs over a key costs 2.0 while R is at most {@code offlineStart} (arrive, merge at the end), and 1.0
 * where R is 1. Of more runs some must be merged twice, whatever the order: {@code offlineFanIn} of them free all but
 * one of their places. In simulation, merges hardly keeping up, that is below 2.5 for 64 runs. Of very many runs nearly
 * all must be merged twice: H places hold R of them only if X merges of F runs each leave R - F X + X at most H, so of
 * 490 runs and 56 places at least 435 are rewritten twice, and 2.9 is the least there is; simulated are 3.1 for 250 to
 * 1,000. So an import that is meant to stay below 2.5 needs buffers of a 64th of the data that arrives out of order:
 * 256 MB for 16 GB.
 *
 * @param onlineStart tops above which a table that is read is merged
 * @param onlineLimit tops that it must not exceed
 * @param onlineRelief places that one such merge must free
 * @param offlineStart tops above which a table that is being imported is merged
 * @param hardLimit tops that no table must exceed
 * @param offlineRelief places that one such merge must free
 * @param offlineFanIn most sublevels that the first such merge of a stack takes in; later ones take what sizes allow
 * @param pickBytes size up to which merges are joined, and above which they are divided where that is possible
 * @param outputFileBytes size of the files that merges write
 * @param concurrentPicks merges that may run at the same time
 */
public record CompactionSettings(
        int onlineStart,
        int onlineLimit,
        int onlineRelief,
        int offlineStart,
        int hardLimit,
        int offlineRelief,
        int offlineFanIn,
        long pickBytes,
        long outputFileBytes,
        int concurrentPicks) {
    /** Levels of a column family below level 0, all of which a stack could take. */
    private static final int LEVELS = 63;

    /**
     * Checks all settings together.
     *
     * @throws BadInputException when some are out of range; the message lists all of those
     */
    public CompactionSettings {
        List<String> wrong = new ArrayList<>();
        ascending(wrong, "online relief", onlineRelief, "online start", onlineStart);
        ascending(wrong, "online start", onlineStart, "online limit", onlineLimit);
        ascending(wrong, "online limit", onlineLimit, "hard limit", hardLimit);
        ascending(wrong, "offline relief", offlineRelief, "offline fan-in", offlineFanIn);
        ascending(wrong, "offline fan-in", offlineFanIn, "offline start plus one", offlineStart + 1);
        ascending(wrong, "offline start", offlineStart, "hard limit", hardLimit);
        ascending(wrong, "hard limit", hardLimit, "levels", LEVELS);
        positive(wrong, "online relief", onlineRelief);
        positive(wrong, "offline relief", offlineRelief);
        positive(wrong, "output file bytes", outputFileBytes);
        positive(wrong, "concurrent picks", concurrentPicks);
        if (pickBytes < outputFileBytes) {
            wrong.add("pick bytes: " + pickBytes + ", must not be below output file bytes, " + outputFileBytes);
        }
        if (!wrong.isEmpty()) {
            throw new BadInputException("compaction settings: " + String.join("; ", wrong));
        }
    }

    private static void ascending(List<String> wrong, String lowName, int low, String highName, int high) {
        if (low >= high) {
            wrong.add(lowName + ": " + low + ", must be below " + highName + ", " + high);
        }
    }

    private static void positive(List<String> wrong, String name, long value) {
        if (value < 1) {
            wrong.add(name + ": " + value + ", must be at least 1");
        }
    }

    /**
     * For this many merges at a time.
     *
     * <ul>
     *   <li>online 14 to 20: a point read with bloom filters takes 4 us at 20 sublevels against 2.5 us at one; 6 places
     *       of slack are six arrivals over one key while a merge of 256 MB runs, about a second. A merge frees 4 places
     *       or is not worth its start.
     *   <li>offline 48 to 56: an import with buffers of 128 MB brings a run per half second over all keys. Relieving
     *       all of its stacks, 16 runs each, rewrites 2 GB, 4 s on two threads at 250 MB/s: 8 runs of slack. 56 leaves
     *       7 levels to those who were admitted together with the last one.
     *   <li>fan-in 16: merging all 48 would cost an import of 49 runs half its bytes at once; 16 costs a third, and
     *       frees 15 places.
     *   <li>256 MiB a pick: a second of one thread, so that the last of a dozen does not leave the others idle for
     *       long, and four outputs of 64 MiB.
     * </ul>
     */
    public static CompactionSettings defaults(int concurrentPicks) {
        return new CompactionSettings(14, 20, 4, 48, 56, 8, 16, 256L << 20, 64L << 20, concurrentPicks);
    }

    public CompactionSettings withPickBytes(long bytes) {
        return new CompactionSettings(
                onlineStart,
                onlineLimit,
                onlineRelief,
                offlineStart,
                hardLimit,
                offlineRelief,
                offlineFanIn,
                bytes,
                outputFileBytes,
                concurrentPicks);
    }

    public CompactionSettings withOutputFileBytes(long bytes) {
        return new CompactionSettings(
                onlineStart,
                onlineLimit,
                onlineRelief,
                offlineStart,
                hardLimit,
                offlineRelief,
                offlineFanIn,
                pickBytes,
                bytes,
                concurrentPicks);
    }
}
