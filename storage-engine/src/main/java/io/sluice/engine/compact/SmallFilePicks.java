package io.sluice.engine.compact;

import io.sluice.engine.store.LsmFile;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Picks that join small neighbours of one level. Stacks do not show them: appends whose keys follow each other lay
 * their files side by side, so without this a table keeps a file and an open handle of every append for good.
 *
 * <p>A pick takes at least {@value #LEAST_FILES} files that follow each other, none larger than a quarter of all
 * together. So a rewritten byte moves to a file of at least four times the size. From 4 KiB to 1 MiB, above which files
 * are not picked, that is four rewrites at most. Steady appends of one size are rewritten twice.
 */
final class SmallFilePicks {
    /** Size limit of picked files: above it, the number of files depends on the amount of data, not on its arrival. */
    private static final long SMALL_BYTES = 1L << 20;

    private static final int LEAST_FILES = 16;
    /** Limits the search; RocksDB handles that many inputs easily. */
    private static final int MOST_FILES = 256;

    private final SublevelMap map;
    private final CompactionSettings settings;
    private final long smallBytes;
    private final Iterator<Sublevel> sublevels;

    SmallFilePicks(SublevelMap map, CompactionSettings settings) {
        this.map = map;
        this.settings = settings;
        smallBytes = Math.min(SMALL_BYTES, settings.outputFileBytes() / 4);
        // Level 0 is emptied by TallestStackPicks.
        sublevels = map.sublevels().stream()
                .filter(sublevel -> sublevel.level() > 0)
                .iterator();
    }

    /** The next pick that avoids the held files and bounds, or null when there is none. */
    @Nullable
    CompactionPick next(CompactionsInProgress held) {
        while (sublevels.hasNext()) {
            CompactionPick pick = in(sublevels.next(), held);
            if (pick != null) {
                return pick;
            }
        }
        return null;
    }

    /** The first pick of a level; the next one follows after it has run. */
    private @Nullable CompactionPick in(Sublevel sublevel, CompactionsInProgress held) {
        List<LsmFile> small = new ArrayList<>();
        for (LsmFile file : sublevel.files()) {
            if (file.fileBytes() < smallBytes && !held.holds(file)) {
                small.add(file);
            } else {
                CompactionPick pick = among(small, sublevel.level(), held);
                if (pick != null) {
                    return pick;
                }
                small.clear();
            }
        }
        return among(small, sublevel.level(), held);
    }

    private @Nullable CompactionPick among(List<LsmFile> neighbours, int level, CompactionsInProgress held) {
        for (int from = 0; from + LEAST_FILES <= neighbours.size(); from++) {
            int to = end(neighbours, from);
            if (to > from) {
                CompactionPick pick =
                        CompactionPick.of(CompactionPick.Reason.SMALL, neighbours.subList(from, to), level, settings);
                if (!held.overlaps(pick.bounds()) && isWhole(pick, level)) {
                    return pick;
                }
            }
        }
        return null;
    }

    /** The end index of the longest pick that begins at a file; {@code from} when there is none. */
    private static int end(List<LsmFile> neighbours, int from) {
        long sum = 0;
        long largest = 0;
        int end = from;
        for (int i = from; i < Math.min(neighbours.size(), from + MOST_FILES); i++) {
            sum += neighbours.get(i).fileBytes();
            largest = Math.max(largest, neighbours.get(i).fileBytes());
            if (i + 1 - from >= LEAST_FILES && 4 * largest <= sum) {
                end = i + 1;
            }
        }
        return end;
    }

    /** Whether RocksDB would add no inputs: neighbours may share a key, and are then compacted together. */
    private boolean isWhole(CompactionPick pick, int level) {
        return Closure.of(map, pick.inputs(), map.bottomLevel() - level).files().size()
                == pick.inputs().size();
    }
}
