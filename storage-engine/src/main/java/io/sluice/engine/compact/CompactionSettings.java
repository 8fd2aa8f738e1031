package io.sluice.engine.compact;

import io.sluice.model.error.BadInputException;
import java.util.ArrayList;
import java.util.List;

/**
 * Settings of compaction. Heights are sublevels as {@link SublevelMap#top} counts them.
 *
 * <p>Write amplification counts every byte once for its arrival, and once more for each rewrite. An import with R runs
 * over a key costs 2.0 while R is at most the start of {@code offline} (arrival, compaction at the end), and 1.0 where
 * R is 1. With more runs, some are compacted twice in any order: {@code offlineFanIn} of them free all but one of their
 * places. In a simulation with barely sufficient compaction speed, that is below 2.5 for 64 runs. With very many runs,
 * nearly all are compacted twice: H places hold R runs only if X compactions of F runs each leave R - F X + X at most
 * H. So of 490 runs and 56 places at least 435 are rewritten twice, and the least amplification is 2.9; the simulation
 * has 3.1 for 250 to 1,000 runs. An import that must stay below 2.5 needs buffers of 1/64 of the data that arrives out
 * of order: 256 MB for 16 GB.
 *
 * @param online heights of a visible table
 * @param offline heights of a table that is being imported; no table must exceed this limit
 * @param offlineFanIn most sublevels that the first compaction of such a stack includes; sizes limit later ones
 * @param pickBytes size up to which compactions are joined, and above which they are split where possible
 * @param outputFileBytes size of the output files of compactions
 * @param concurrentPicks number of compactions that may run in parallel
 */
public record CompactionSettings(
        Heights online, Heights offline, int offlineFanIn, long pickBytes, long outputFileBytes, int concurrentPicks) {
    /**
     * The heights that start a compaction.
     *
     * @param start top above which a table is compacted
     * @param limit top that the table must not exceed
     * @param relief places that one compaction must free
     */
    public record Heights(int start, int limit, int relief) {}

    /** Levels of a column family below level 0; the largest top of a stack. */
    private static final int LEVELS = 63;

    /**
     * Checks all settings together.
     *
     * @throws BadInputException when a setting is out of range; the message lists all that are
     */
    public CompactionSettings {
        List<String> wrong = new ArrayList<>();
        ascending(wrong, "online relief", online.relief, "online start", online.start);
        ascending(wrong, "online start", online.start, "online limit", online.limit);
        ascending(wrong, "online limit", online.limit, "hard limit", offline.limit);
        ascending(wrong, "offline relief", offline.relief, "offline fan-in", offlineFanIn);
        ascending(wrong, "offline fan-in", offlineFanIn, "offline start plus one", offline.start + 1);
        ascending(wrong, "offline start", offline.start, "hard limit", offline.limit);
        ascending(wrong, "hard limit", offline.limit, "levels", LEVELS);
        positive(wrong, "online relief", online.relief);
        positive(wrong, "offline relief", offline.relief);
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
     * The defaults for this many parallel compactions.
     *
     * <ul>
     *   <li>online 14 to 20: a point read with bloom filters takes 4 us at 20 sublevels against 2.5 us at one; 6 places
     *       of slack are six arrivals over one key while a compaction of 256 MB runs, about a second. A compaction must
     *       free 4 places to be worth its start.
     *   <li>offline 48 to 56: an import with buffers of 128 MB brings a run per half second over all keys. Relieving
     *       all of its stacks, 16 runs each, rewrites 2 GB, 4 s on two threads at 250 MB/s: 8 runs of slack. 56 leaves
     *       7 levels to SSTs that were admitted together with the last one.
     *   <li>fan-in 16: compacting all 48 would rewrite half the bytes of an import of 49 runs at once; 16 rewrites a
     *       third, and frees 15 places.
     *   <li>256 MiB a pick: a second of one thread, so that the last of a dozen does not leave the others idle for
     *       long, and four outputs of 64 MiB.
     * </ul>
     */
    public static CompactionSettings defaults(int concurrentPicks) {
        return new CompactionSettings(
                new Heights(14, 20, 4), new Heights(48, 56, 8), 16, 256L << 20, 64L << 20, concurrentPicks);
    }
}
