package io.sluice.node.compact;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The files that a merge takes in, growing from the top down: in each sublevel the files to begin with that lie there,
 * and those that touch the hull of what is in already. The hull, not the single files: RocksDB's
 * {@code CompactionPicker::SanitizeCompactionInputFilesForAllLevels} goes by the first and last key of all inputs, and
 * a pick must foresee its inputs. Newer files above the first ones stay out.
 *
 * <p>Level 0 follows the rule of the tree it is in. RocksDB takes in all of its files that are older, overlapping or
 * not; in a level 0 by itself each sublevel counts as a level, as in Pebble.
 */
final class Closure {
    private final SublevelMap map;
    private final List<LsmFile> seeds;
    private final Map<String, LsmFile> files = new LinkedHashMap<>();
    private @Nullable KeyBounds hull;
    private long fileBytes;

    /** Begins with some files of the map. */
    Closure(SublevelMap map, Collection<LsmFile> seeds) {
        this.map = map;
        this.seeds = new ArrayList<>(seeds);
        if (map.bottomLevel() > 0) {
            this.seeds.addAll(olderOfLevel0(map, seeds));
        }
        for (LsmFile seed : this.seeds) {
            files.put(seed.name(), seed);
        }
        this.fileBytes = files.values().stream().mapToLong(LsmFile::fileBytes).sum();
    }

    /** The whole closure of some files, down to a position, that one included. */
    static Closure of(SublevelMap map, Collection<LsmFile> seeds, int lowestPosition) {
        Closure closure = new Closure(map, seeds);
        List<Sublevel> sublevels = map.sublevels();
        for (int i = sublevels.size() - 1; i >= 0 && sublevels.get(i).position() >= lowestPosition; i--) {
            closure.descend(sublevels.get(i));
        }
        return closure;
    }

    private static List<LsmFile> olderOfLevel0(SublevelMap map, Collection<LsmFile> seeds) {
        @Nullable
        LsmFile newest = seeds.stream()
                .filter(seed -> seed.level() == 0)
                .max(Level0.OLDEST_FIRST)
                .orElse(null);
        return newest == null
                ? List.of()
                : map.files().stream()
                        .filter(file -> file.level() == 0 && Level0.OLDEST_FIRST.compare(file, newest) < 0)
                        .toList();
    }

    /** The files that {@link #descend} would meet in the next sublevel; none before the first seed is met. */
    List<LsmFile> next(Sublevel sublevel) {
        List<LsmFile> met = new ArrayList<>();
        for (LsmFile seed : seeds) {
            if (map.sublevelOf(seed.name()).position() == sublevel.position()) {
                met.add(seed);
            }
        }
        boolean byHull = sublevel.level() > 0 || map.bottomLevel() == 0;
        if (byHull) {
            @Nullable KeyBounds reach = hull;
            for (LsmFile file : met) {
                reach = widened(reach, file);
            }
            if (reach != null) {
                return touching(sublevel, reach);
            }
        }
        return met;
    }

    /** Neighbours may share a key, so what touches the hull can widen it until it touches the next one. */
    private static List<LsmFile> touching(Sublevel sublevel, KeyBounds hull) {
        KeyBounds reach = hull;
        List<LsmFile> met = sublevel.overlapping(reach);
        int size = -1;
        while (met.size() > size) {
            size = met.size();
            for (LsmFile file : met) {
                reach = reach.hull(file.bounds());
            }
            met = sublevel.overlapping(reach);
        }
        return met;
    }

    /** Takes in what it meets in the next sublevel. To be called from the top sublevel to the last wanted. */
    void descend(Sublevel sublevel) {
        for (LsmFile file : next(sublevel)) {
            hull = widened(hull, file);
            if (files.put(file.name(), file) == null) {
                fileBytes += file.fileBytes();
            }
        }
    }

    private static KeyBounds widened(@Nullable KeyBounds bounds, LsmFile file) {
        return bounds == null ? file.bounds() : bounds.hull(file.bounds());
    }

    /** The files: those to begin with, then the others as they were met. */
    List<LsmFile> files() {
        return List.copyOf(files.values());
    }

    /** The first and last key of what was met so far; null before anything was. */
    @Nullable
    KeyBounds hull() {
        return hull;
    }

    long fileBytes() {
        return fileBytes;
    }
}
