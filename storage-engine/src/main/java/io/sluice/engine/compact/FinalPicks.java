package io.sluice.engine.compact;

import io.sluice.engine.store.KeyBounds;
import io.sluice.engine.store.LsmFile;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Picks that leave one file over every key. Files are grouped into components, which are connected by overlap. No file
 * crosses two components, so each is compacted separately into the bottom level, and its hull contains no other file. A
 * file without overlap is not rewritten, so sorted input never is.
 *
 * <p>Neighbouring components are joined up to the size of a pick, to get full output files. A larger component stays
 * whole, because a split would rewrite the files below it twice.
 */
final class FinalPicks {
    private final SublevelMap map;
    private final CompactionSettings settings;
    private final Iterator<List<LsmFile>> groups;
    /** Length of a pick for each of its threads: short only where there are too few picks for all threads. */
    private final long partBytes;

    FinalPicks(SublevelMap map, CompactionSettings settings) {
        this.map = map;
        this.settings = settings;
        List<LsmFile> level0 =
                map.files().stream().filter(file -> file.level() == 0).toList();
        List<List<LsmFile>> groups = new ArrayList<>();
        List<LsmFile> rest = new ArrayList<>(map.files());
        if (!level0.isEmpty()) {
            // Level 0 can only be emptied as a whole, including files without overlap.
            groups.add(Closure.of(map, level0, 0).files());
            rest.removeAll(groups.get(0));
        }
        groups.addAll(groups(components(rest)));
        this.groups = groups.iterator();
        partBytes = groups.size() < settings.concurrentPicks()
                ? CompactionPick.leastPartBytes(settings)
                : settings.pickBytes();
    }

    /** Groups files into components connected by overlap, in key order. One sweep, O(n log n). */
    static List<List<LsmFile>> components(List<LsmFile> files) {
        List<LsmFile> byKey = new ArrayList<>(files);
        byKey.sort(SublevelMap.KEY_ORDER);
        List<List<LsmFile>> components = new ArrayList<>();
        KeyBounds hull = null;
        for (LsmFile file : byKey) {
            if (hull == null || !hull.overlaps(file.bounds())) {
                components.add(new ArrayList<>());
                hull = file.bounds();
            }
            components.get(components.size() - 1).add(file);
            hull = hull.hull(file.bounds());
        }
        return components;
    }

    private List<List<LsmFile>> groups(List<List<LsmFile>> components) {
        List<List<LsmFile>> groups = new ArrayList<>();
        List<LsmFile> open = new ArrayList<>();
        for (List<LsmFile> component : components) {
            boolean alone = component.size() == 1;
            if (alone || LsmFile.bytesOf(open) + LsmFile.bytesOf(component) > settings.pickBytes()) {
                close(open, groups);
                open = new ArrayList<>();
            }
            if (!alone) {
                open.addAll(component);
            }
        }
        close(open, groups);
        return groups;
    }

    private static void close(List<LsmFile> open, List<List<LsmFile>> groups) {
        if (!open.isEmpty()) {
            groups.add(open);
        }
    }

    /** The next pick that avoids the held files and bounds, or null when there is none. */
    @Nullable
    CompactionPick next(CompactionsInProgress held) {
        while (groups.hasNext()) {
            List<LsmFile> group = groups.next();
            if (group.stream().noneMatch(held::holds)) {
                CompactionPick pick =
                        CompactionPick.of(CompactionPick.Reason.FINAL, group, map.bottomLevel(), settings, partBytes);
                if (!held.overlaps(pick.bounds())) {
                    return pick;
                }
            }
        }
        return null;
    }
}
