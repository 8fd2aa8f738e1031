package io.sluice.engine.compact;

import io.sluice.engine.store.KeyBounds;
import io.sluice.engine.store.LsmFile;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The input files of a compaction, collected from the top sublevel down. Each sublevel adds its seed files, and those
 * that touch the hull of the files so far. The hull counts, not single files, because RocksDB's
 * {@code CompactionPicker::SanitizeCompactionInputFilesForAllLevels} uses the first and last key of all inputs, and a
 * pick must predict them. Newer files above the seeds stay out.
 *
 * <p>In a tree with more levels, level 0 adds all of its older files, overlapping or not, as RocksDB does. In a tree of
 * level 0 alone, each sublevel counts as a level, as in Pebble.
 */
final class Closure {
    private final SublevelMap map;
    private final List<LsmFile> seeds;
    private final Map<String, LsmFile> files = new LinkedHashMap<>();
    private @Nullable KeyBounds hull;
    private long fileBytes;

    /** Starts from seed files of the map. */
    Closure(SublevelMap map, Collection<LsmFile> seeds) {
        this.map = map;
        this.seeds = new ArrayList<>(seeds);
        if (map.bottomLevel() > 0) {
            this.seeds.addAll(olderOfLevel0(map, seeds));
        }
        for (LsmFile seed : this.seeds) {
            files.put(seed.name(), seed);
        }
        this.fileBytes = LsmFile.bytesOf(files.values());
    }

    /** Computes the closure of seed files, down to a position, inclusive. */
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
                .max(SublevelMap.OLDEST_FIRST)
                .orElse(null);
        return newest == null
                ? List.of()
                : map.files().stream()
                        .filter(file -> file.level() == 0 && SublevelMap.OLDEST_FIRST.compare(file, newest) < 0)
                        .toList();
    }

    /** The files that {@link #descend} would add from the next sublevel; none above the first seed. */
    List<LsmFile> next(Sublevel sublevel) {
        List<LsmFile> found = new ArrayList<>();
        for (LsmFile seed : seeds) {
            if (map.sublevelOf(seed.name()).position() == sublevel.position()) {
                found.add(seed);
            }
        }
        boolean byHull = sublevel.level() > 0 || map.bottomLevel() == 0;
        if (byHull) {
            @Nullable KeyBounds reach = hull;
            for (LsmFile file : found) {
                reach = widened(reach, file);
            }
            if (reach != null) {
                return touching(sublevel, reach);
            }
        }
        return found;
    }

    /**
     * The files of a sublevel that touch the hull. Neighbours may share a key, so each file can extend it to the next.
     */
    private static List<LsmFile> touching(Sublevel sublevel, KeyBounds hull) {
        KeyBounds reach = hull;
        List<LsmFile> found = sublevel.overlapping(reach);
        int size = -1;
        while (found.size() > size) {
            size = found.size();
            for (LsmFile file : found) {
                reach = reach.hull(file.bounds());
            }
            found = sublevel.overlapping(reach);
        }
        return found;
    }

    /** Adds files of the next sublevel. The caller passes all sublevels, from the top to the last wanted one. */
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

    /** The files: the seeds, then the others in the order of addition. */
    List<LsmFile> files() {
        return List.copyOf(files.values());
    }

    /** The first and last key of the files so far; null before the first. */
    @Nullable
    KeyBounds hull() {
        return hull;
    }

    long fileBytes() {
        return fileBytes;
    }
}
