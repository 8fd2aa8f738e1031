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
 * <p>How far down it goes is decided by price: bytes rewritten per place freed, the lowest wins. Small new files on a
 * large old one are so merged among themselves, and the large one is left until it is small beside what lies on it.
 */
final class TowerPicks implements PickSource {
    private final SublevelMap map;
    private final int relief;
    private final int fanIn;
    private final CompactionSettings settings;
    private final Iterator<LsmFile> tops;

    /**
     * Picks from the stacks that reach above {@code start}.
     *
     * @param relief places that a pick must free
     * @param fanIn most sublevels that a pick takes in; more only when it takes more to free that many places
     */
    TowerPicks(SublevelMap map, int start, int relief, int fanIn, CompactionSettings settings) {
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
        tops.sort(Comparator.comparingInt(this::position).reversed().thenComparing(SublevelMap.KEY_ORDER));
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
    public @Nullable CompactionPick next(Busy held) {
        while (tops.hasNext()) {
            LsmFile top = tops.next();
            CompactionPick pick = cheapest(top, held);
            if (pick != null) {
                return pick;
            }
        }
        return null;
    }

    /** The cheapest of the merges that begin at a file, which grow sublevel by sublevel; null when none will do. */
    private @Nullable CompactionPick cheapest(LsmFile top, Busy held) {
        Closure closure = new Closure(map, List.of(top));
        int position = position(top);
        int takenIn = 0;
        double price = Double.MAX_VALUE;
        CompactionPick best = null;
        List<Sublevel> sublevels = map.sublevels();
        for (int i = sublevels.size() - 1; i >= -1; i--) {
            @Nullable Sublevel next = i < 0 ? null : sublevels.get(i);
            List<LsmFile> met = next == null ? List.of() : closure.next(next);
            if (next != null && met.isEmpty()) {
                continue;
            }
            int output = next == null ? 0 : next.position() + 1;
            KeyBounds hull = closure.hull();
            if (hull != null && output < map.bottomLevel()) {
                if (held.overlaps(hull)) {
                    return best;
                }
                int freed = position - output;
                double asked = (double) closure.fileBytes() / freed;
                if (freed >= relief && asked < price) {
                    price = asked;
                    best = Picks.of(reason(top), closure.files(), map.bottomLevel() - output, settings);
                }
                boolean enough = takenIn >= fanIn || closure.fileBytes() >= settings.pickBytes();
                if (best != null && enough) {
                    return best;
                }
            }
            if (next != null) {
                if (met.stream().anyMatch(held::holds)) {
                    return best;
                }
                closure.descend(next);
                takenIn++;
            }
        }
        return best;
    }

    private static CompactionPick.Reason reason(LsmFile top) {
        return top.level() == 0 ? CompactionPick.Reason.LEVEL_0 : CompactionPick.Reason.TALL;
    }
}
