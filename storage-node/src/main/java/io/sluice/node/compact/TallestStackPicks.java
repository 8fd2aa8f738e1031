package io.sluice.node.compact;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Picks that shorten stacks which reach too high, tallest first. A pick begins at the top of its stack: a file keeps
 * its level when something below it is merged, so only what is merged from the top on gives places back.
 *
 * <p>How far down it goes is size-tiered, as in RocksDB's universal compaction: far enough to free some places, and
 * then on, while the next sublevel is no larger than all above it together. Small new files on a large old one are
 * merged among themselves, and the large one is left until it is small beside what lies on it; so a byte that is
 * rewritten comes to lie in a run of at least twice the size. Taking whatever is cheapest per place freed was tried and
 * rewrote three times as much: the last merged run was merged again with every handful of new ones.
 *
 * <p>The first merge of a stack takes in no more than a fan-in, since the import may be over soon and what is not
 * merged now is merged once instead of twice. What comes after it shows that the levels do not hold this import: then a
 * merge goes down as far as sizes allow, and the stack has nearly all its levels again. Going on by fan-ins wrote 4.1
 * times at 490 runs over a key, with levels running short ever sooner; this writes 3.1 times.
 */
final class TallestStackPicks implements PickSource {
    private final SublevelMap map;
    private final int relief;
    private final int fanIn;
    private final CompactionSettings settings;
    private final Iterator<LsmFile> tops;

    /**
     * Picks from the stacks that reach above {@code start}.
     *
     * @param relief places that a pick must free
     * @param fanIn most sublevels that the first pick of a stack takes in, unless it takes more to free that many
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
        // Of level 0 the oldest first: it leaves by itself, where a newer one takes all others along.
        tops.sort(Comparator.comparingInt(this::position).reversed().thenComparing(Level0.OLDEST_FIRST));
        this.tops = tops.iterator();
    }

    /** The uppermost file at some point decides; one that others cover entirely is theirs to take in. */
    private boolean isUncovered(LsmFile file) {
        return map.top(file.bounds()) == position(file) + 1;
    }

    private int position(LsmFile file) {
        return map.sublevelOf(file.name()).position();
    }

    @Override
    public @Nullable CompactionPick next(CompactionsInProgress held) {
        while (tops.hasNext()) {
            LsmFile top = tops.next();
            CompactionPick pick = from(top, held);
            if (pick != null) {
                return pick;
            }
        }
        return null;
    }

    /** The merge that begins at a file and grows sublevel by sublevel; null when it cannot free enough. */
    private @Nullable CompactionPick from(LsmFile top, CompactionsInProgress held) {
        Closure closure = new Closure(map, List.of(top));
        int position = position(top);
        int takenIn = 0;
        for (int i = map.sublevels().size() - 1; i >= 0; i--) {
            Sublevel next = map.sublevels().get(i);
            List<LsmFile> met = closure.next(next);
            if (met.isEmpty()) {
                continue;
            }
            int output = next.position() + 1;
            boolean relieved = output < map.bottomLevel() && position - output >= relief;
            boolean larger = tooLarge(bytes(met), closure);
            boolean blocked = met.stream().anyMatch(held::holds);
            if (relieved && (larger || blocked || (takenIn >= fanIn && !mergedBefore(closure)))) {
                return pick(top, closure, output, held);
            }
            if (blocked) {
                return null;
            }
            closure.descend(next);
            takenIn++;
        }
        return position >= relief ? pick(top, closure, 0, held) : null;
    }

    /**
     * Whether a sublevel is to be left alone. One that is itself the merge of a whole stack has to lie under twice its
     * size before it is rewritten: two of equal size would be joined for the one place which that frees.
     */
    private boolean tooLarge(long bytes, Closure above) {
        boolean wholeStack = above.fileBytes() > 0 && bytes >= 2L * fanIn * typical(above);
        return (wholeStack ? 2 * bytes : bytes) > above.fileBytes();
    }

    /**
     * Whether the stack was merged before, and so gets more runs than its levels hold: a sublevel in it is as large as
     * half a fan-in of the files taken in.
     */
    private boolean mergedBefore(Closure closure) {
        long merged = typical(closure) * fanIn / 2;
        KeyBounds hull = closure.hull();
        return hull != null
                && map.sublevels().stream().anyMatch(sublevel -> bytes(sublevel.overlapping(hull)) >= merged);
    }

    /** Size of a file as it came: the median of those taken in, since some of them can be merged ones. */
    private static long typical(Closure closure) {
        long[] sizes =
                closure.files().stream().mapToLong(LsmFile::fileBytes).sorted().toArray();
        return sizes[sizes.length / 2];
    }

    private @Nullable CompactionPick pick(LsmFile top, Closure closure, int output, CompactionsInProgress held) {
        CompactionPick pick = Picks.of(reason(top), closure.files(), map.bottomLevel() - output, settings);
        return held.overlaps(pick.bounds()) ? null : pick;
    }

    private static long bytes(List<LsmFile> files) {
        return files.stream().mapToLong(LsmFile::fileBytes).sum();
    }

    private static CompactionPick.Reason reason(LsmFile top) {
        return top.level() == 0 ? CompactionPick.Reason.LEVEL_0 : CompactionPick.Reason.TALL;
    }
}
