package io.sluice.engine.compact;

import io.sluice.engine.store.KeyBounds;
import io.sluice.engine.store.LsmFile;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Picks that shorten stacks that are too high, tallest first. A pick begins at the top of its stack. A file keeps its
 * level when files below it are compacted, so only a compaction from the top frees places.
 *
 * <p>Its depth is size-tiered, as in RocksDB's universal compaction. It goes down far enough to free some places, and
 * further while the next sublevel is no larger than all above it together. Small new files on a large old one are
 * compacted without it, until they outgrow it. So a rewritten byte moves to a run of at least twice the size. The
 * cheapest pick per freed place was tried, and rewrote three times as much: it compacted the last run again with every
 * few new files.
 *
 * <p>The first compaction of a stack includes at most a fan-in of sublevels. The import may end soon, and files not
 * compacted now are then compacted once instead of twice. A second compaction shows that the levels cannot hold this
 * import. From then on, a compaction goes down as far as sizes allow, and frees nearly all levels of the stack.
 * Compactions of one fan-in each wrote 4.1 times at 490 runs over a key, and levels ran short sooner each time; this
 * writes 3.1 times.
 */
final class TallestStackPicks {
    private final SublevelMap map;
    private final int relief;
    private final int fanIn;
    private final CompactionSettings settings;
    private final Iterator<LsmFile> tops;

    /**
     * Creates the picks of stacks higher than {@code start}.
     *
     * @param relief places that a pick must free
     * @param fanIn most sublevels that the first pick of a stack includes, unless it needs more to free that many
     *     places
     */
    TallestStackPicks(SublevelMap map, int start, int relief, int fanIn, CompactionSettings settings) {
        this.map = map;
        this.relief = relief;
        this.fanIn = fanIn;
        this.settings = settings;
        List<LsmFile> tops = new ArrayList<>();
        for (Sublevel sublevel : map.sublevels()) {
            if (sublevel.position() >= start) {
                sublevel.files().stream().filter(this::isUncovered).forEach(tops::add);
            }
        }
        // In level 0 the oldest first: it is compacted alone, while a newer one needs all older ones.
        tops.sort(Comparator.comparingInt(this::position).reversed().thenComparing(SublevelMap.OLDEST_FIRST));
        this.tops = tops.iterator();
    }

    /** Whether a file is the uppermost at some key. Picks of other files include a fully covered one. */
    private boolean isUncovered(LsmFile file) {
        return map.top(file.bounds()) == position(file) + 1;
    }

    private int position(LsmFile file) {
        return map.sublevelOf(file.name()).position();
    }

    /** The next pick that avoids the held files and bounds, or null when there is none. */
    @Nullable
    CompactionPick next(CompactionsInProgress held) {
        while (tops.hasNext()) {
            LsmFile top = tops.next();
            CompactionPick pick = from(top, held);
            if (pick != null) {
                return pick;
            }
        }
        return null;
    }

    /** The pick that begins at a file and grows down by sublevels; null when it cannot free enough places. */
    private @Nullable CompactionPick from(LsmFile top, CompactionsInProgress held) {
        Closure closure = new Closure(map, List.of(top));
        int position = position(top);
        int included = 0;
        for (int i = map.sublevels().size() - 1; i >= 0; i--) {
            Sublevel next = map.sublevels().get(i);
            List<LsmFile> found = closure.next(next);
            if (found.isEmpty()) {
                continue;
            }
            int output = next.position() + 1;
            boolean relieved = output < map.bottomLevel() && position - output >= relief;
            boolean larger = tooLarge(LsmFile.bytesOf(found), closure);
            boolean blocked = found.stream().anyMatch(held::holds);
            if (relieved && (larger || blocked || (included >= fanIn && !mergedBefore(closure)))) {
                return pick(top, closure, output, held);
            }
            if (blocked) {
                return null;
            }
            closure.descend(next);
            included++;
        }
        return position >= relief ? pick(top, closure, 0, held) : null;
    }

    /**
     * Whether a sublevel is too large to include. The output of a whole stack's compaction needs twice its size above
     * it before it is rewritten. Otherwise two runs of equal size would be joined to free one place.
     */
    private boolean tooLarge(long bytes, Closure above) {
        boolean wholeStack = above.fileBytes() > 0 && bytes >= 2L * fanIn * typical(above);
        return (wholeStack ? 2 * bytes : bytes) > above.fileBytes();
    }

    /**
     * Whether the stack was compacted before, and so gets more runs than its levels hold. Then one of its sublevels is
     * as large as half a fan-in of the included files.
     */
    private boolean mergedBefore(Closure closure) {
        long merged = typical(closure) * fanIn / 2;
        KeyBounds hull = closure.hull();
        return hull != null
                && map.sublevels().stream().anyMatch(sublevel -> LsmFile.bytesOf(sublevel.overlapping(hull)) >= merged);
    }

    /**
     * The typical size of an ingested file: the median of the included files, some of which may be compaction outputs.
     */
    private static long typical(Closure closure) {
        long[] sizes =
                closure.files().stream().mapToLong(LsmFile::fileBytes).sorted().toArray();
        return sizes[sizes.length / 2];
    }

    private @Nullable CompactionPick pick(LsmFile top, Closure closure, int output, CompactionsInProgress held) {
        CompactionPick pick = CompactionPick.of(reason(top), closure.files(), map.bottomLevel() - output, settings);
        return held.overlaps(pick.bounds()) ? null : pick;
    }

    private static CompactionPick.Reason reason(LsmFile top) {
        return top.level() == 0 ? CompactionPick.Reason.LEVEL_0 : CompactionPick.Reason.TALL;
    }
}
