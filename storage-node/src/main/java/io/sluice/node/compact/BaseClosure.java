package io.sluice.node.compact;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What leaves a stack together when it is emptied from below, as Pebble chooses a base compaction: from a file at the
 * bottom up the stack where it is tallest, then down again, since each of these files needs the older ones it overlaps.
 *
 * @param files the file to begin with, the stack on it from the bottom up, then what the closure added
 * @param riders small files on top that may come along at little cost: they lie within the hull, and below them is
 *     nothing but the closure
 */
public record BaseClosure(List<LsmFile> files, List<LsmFile> riders) {
    /** Copies the lists. */
    public BaseClosure {
        files = List.copyOf(files);
        riders = List.copyOf(riders);
    }

    /**
     * The closure from one file.
     *
     * @param seed a file of the map
     * @param riderBytes the largest file that may ride
     */
    public static BaseClosure from(SublevelMap map, LsmFile seed, long riderBytes) {
        @Nullable Peak peak = map.tallestPeak(seed.bounds());
        if (peak == null) {
            throw new IllegalArgumentException("no file " + seed + " in the map");
        }
        List<LsmFile> seeds = new ArrayList<>(peak.files());
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

    /** Whether a file needs no other than these below it, and at least one of them. */
    private static boolean onTopOf(SublevelMap map, LsmFile file, Set<LsmFile> inside) {
        List<LsmFile> below = new ArrayList<>(Closure.of(map, List.of(file), 0).files());
        below.remove(file);
        return !below.isEmpty() && inside.containsAll(below);
    }
}
