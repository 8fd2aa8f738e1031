package io.sluice.engine.compact;

import io.sluice.engine.store.KeyBounds;
import io.sluice.engine.store.LsmFile;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The input files of a compaction that empties a stack from below, as Pebble chooses a base compaction. It takes a file
 * at the bottom and the tallest stack on it, and then the older files that each of these overlaps.
 *
 * @param files the seed file, the stack on it from the bottom up, then the files that the closure added
 * @param riders small files on top that the compaction may include at little cost: they lie within the hull, and only
 *     files of the closure lie below them
 */
record BaseClosure(List<LsmFile> files, List<LsmFile> riders) {
    /** Copies the lists. */
    public BaseClosure {
        files = List.copyOf(files);
        riders = List.copyOf(riders);
    }

    /**
     * Computes the closure of one file.
     *
     * @param seed a file of the map
     * @param riderBytes size of the largest rider
     */
    static BaseClosure from(SublevelMap map, LsmFile seed, long riderBytes) {
        KeyBounds peak = map.tallestPeak(seed.bounds());
        if (peak == null) {
            throw new IllegalArgumentException("no file " + seed + " in the map");
        }
        List<LsmFile> seeds = new ArrayList<>(map.overlapping(peak));
        seeds.remove(seed);
        seeds.add(0, seed);
        List<LsmFile> files = Closure.of(map, seeds, 0).files();
        return new BaseClosure(files, riders(map, files, riderBytes));
    }

    private static List<LsmFile> riders(SublevelMap map, List<LsmFile> closure, long riderBytes) {
        Set<LsmFile> inside = new HashSet<>(closure);
        List<LsmFile> riders = new ArrayList<>();
        for (LsmFile file : map.files()) {
            boolean small = file.fileBytes() <= riderBytes && !inside.contains(file);
            if (small && onTopOf(map, file, inside)) {
                inside.add(file);
                riders.add(file);
            }
        }
        return riders;
    }

    /** Whether the files below a file are all in this set, and at least one is. */
    private static boolean onTopOf(SublevelMap map, LsmFile file, Set<LsmFile> inside) {
        List<LsmFile> below = new ArrayList<>(Closure.of(map, List.of(file), 0).files());
        below.remove(file);
        return !below.isEmpty() && inside.containsAll(below);
    }
}
