package io.sluice.engine.compact;

import io.sluice.engine.store.LsmFile;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/**
 * Assigns the files of level 0 to sublevels as Pebble does (its {@code l0_sublevels.go}): a file is one sublevel above
 * the highest of the older files that it overlaps.
 */
final class Level0 {
    static final Comparator<LsmFile> OLDEST_FIRST =
            Comparator.comparingLong(LsmFile::seqno).thenComparing(LsmFile::name);

    private Level0() {}

    /** Returns the files of each sublevel, from the bottom, in key order. O(n log n). */
    static List<List<LsmFile>> sublevels(Collection<LsmFile> files, KeyAxis axis, Comparator<LsmFile> keyOrder) {
        List<LsmFile> byAge = new ArrayList<>(files);
        byAge.sort(OLDEST_FIRST);
        HeightProfile heights = new HeightProfile(axis.slots());
        List<List<LsmFile>> sublevels = new ArrayList<>();
        for (LsmFile file : byAge) {
            int sublevel = heights.drop(
                    axis.slotOf(file.bounds().smallest()),
                    axis.slotOf(file.bounds().largest()));
            if (sublevel == sublevels.size()) {
                sublevels.add(new ArrayList<>());
            }
            sublevels.get(sublevel).add(file);
        }
        sublevels.forEach(sublevel -> sublevel.sort(keyOrder));
        return sublevels;
    }
}
