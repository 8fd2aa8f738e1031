package io.sluice.engine.compact;

import io.sluice.engine.store.KeyBounds;
import io.sluice.engine.store.LsmFile;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * An immutable map of an LSM tree as a stack of sublevels over the key space. In a column family of many levels, each
 * level is a sublevel and the last one the bottom. Level 0, ordered by age, has sublevels as in Pebble. A tree of both
 * has level 0 on top.
 *
 * <p>Invariant: files of a sublevel are in key order without overlap; of two overlapping files, the one with older KVs
 * is below; a file of level 0 above its first sublevel is on an older file of the sublevel below. {@link #check}
 * verifies it, and so does building.
 *
 * <p>Two figures describe a stack over some keys. The <i>height</i> is the largest number of files over a key: the cost
 * of a read. The <i>top</i> is the position above the highest file, gaps included: the place of the next ingested file,
 * and so the number of levels used up. Height never exceeds top.
 *
 * <p>Building takes O(n log n), {@link #height} O(log n), {@link #overlapping} and {@link #top} one binary search per
 * sublevel.
 */
public final class SublevelMap {
    static final Comparator<LsmFile> KEY_ORDER = Comparator.comparing(
                    (LsmFile file) -> file.bounds().smallest(), Arrays::compareUnsigned)
            .thenComparing(file -> file.bounds().largest(), Arrays::compareUnsigned);

    static final Comparator<LsmFile> OLDEST_FIRST =
            Comparator.comparingLong(LsmFile::seqno).thenComparing(LsmFile::name);

    private final int bottomLevel;
    private final List<Sublevel> sublevels;
    private final Map<String, Sublevel> byName;
    private final KeyAxis axis;
    private final RangeMax heights;
    private final long totalBytes;

    private SublevelMap(int bottomLevel, List<Sublevel> sublevels, KeyAxis axis, RangeMax heights) {
        this.bottomLevel = bottomLevel;
        this.sublevels = List.copyOf(sublevels);
        this.byName = new HashMap<>();
        this.axis = axis;
        this.heights = heights;
        long bytes = 0;
        for (Sublevel sublevel : sublevels) {
            sublevel.files().forEach(file -> byName.put(file.name(), sublevel));
            bytes += LsmFile.bytesOf(sublevel.files());
        }
        this.totalBytes = bytes;
    }

    /**
     * Builds the map of a tree.
     *
     * @param files all files of the tree, in any order
     * @param bottomLevel number of the last level; 0 for a level 0 by itself
     * @throws IllegalArgumentException when the files cannot be one tree
     */
    public static SublevelMap of(Collection<LsmFile> files, int bottomLevel) {
        TreeMap<Integer, List<LsmFile>> levels = new TreeMap<>(Comparator.reverseOrder());
        for (LsmFile file : files) {
            if (file.level() < 0 || file.level() > bottomLevel) {
                throw new IllegalArgumentException(
                        "file " + file + " is in level " + file.level() + " of 0 to " + bottomLevel);
            }
            levels.computeIfAbsent(file.level(), level -> new ArrayList<>()).add(file);
        }
        KeyAxis axis = KeyAxis.of(files);
        List<Sublevel> sublevels = new ArrayList<>();
        levels.forEach((level, side) -> {
            if (level == 0) {
                addLevel0(sublevels, side, axis, bottomLevel);
            } else {
                side.sort(KEY_ORDER);
                sublevels.add(new Sublevel(bottomLevel - level, level, "L" + level, side));
            }
        });
        SublevelMap map = new SublevelMap(bottomLevel, sublevels, axis, heights(files, axis));
        if (map.byName.size() != files.size()) {
            throw new IllegalArgumentException("two files have one name");
        }
        map.check();
        return map;
    }

    /**
     * Assigns the files of level 0 to sublevels as Pebble does (its {@code l0_sublevels.go}): a file is one sublevel
     * above the highest of the older files that it overlaps. O(n log n).
     */
    private static void addLevel0(List<Sublevel> sublevels, List<LsmFile> files, KeyAxis axis, int bottomLevel) {
        files.sort(OLDEST_FIRST);
        HeightProfile heights = new HeightProfile(axis.slots());
        List<List<LsmFile>> stack = new ArrayList<>();
        for (LsmFile file : files) {
            int sublevel = heights.drop(
                    axis.slotOf(file.bounds().smallest()),
                    axis.slotOf(file.bounds().largest()));
            if (sublevel == stack.size()) {
                stack.add(new ArrayList<>());
            }
            stack.get(sublevel).add(file);
        }
        for (int i = 0; i < stack.size(); i++) {
            stack.get(i).sort(KEY_ORDER);
            sublevels.add(new Sublevel(bottomLevel + i, 0, "L0." + i, stack.get(i)));
        }
    }

    private static RangeMax heights(Collection<LsmFile> files, KeyAxis axis) {
        int[] counts = new int[axis.slots() + 1];
        for (LsmFile file : files) {
            counts[axis.slotOf(file.bounds().smallest())]++;
            counts[axis.slotOf(file.bounds().largest()) + 1]--;
        }
        for (int slot = 1; slot < counts.length; slot++) {
            counts[slot] += counts[slot - 1];
        }
        return new RangeMax(counts);
    }

    /**
     * Verifies the invariant.
     *
     * @throws IllegalArgumentException when it does not hold; the message names the files
     */
    void check() {
        @Nullable Sublevel below = null;
        for (Sublevel sublevel : sublevels) {
            checkSideBySide(sublevel);
            if (below != null && below.position() >= sublevel.position()) {
                throw new IllegalArgumentException(sublevel.label() + " does not lie above " + below.label());
            }
            if (sublevel.level() == 0 && below != null && below.level() == 0) {
                checkStandsOn(sublevel, below);
            }
            below = sublevel;
        }
    }

    private static void checkSideBySide(Sublevel sublevel) {
        for (int i = 1; i < sublevel.files().size(); i++) {
            LsmFile left = sublevel.files().get(i - 1);
            LsmFile right = sublevel.files().get(i);
            // Neighbours may share one key: RocksDB ends a file at the next one's first key, exclusive, when a range
            // tombstone runs across, and reports that end like any other.
            if (Arrays.compareUnsigned(left.bounds().largest(), right.bounds().smallest()) > 0) {
                throw new IllegalArgumentException(left + " and " + right + " overlap in " + sublevel.label());
            }
        }
    }

    private static void checkStandsOn(Sublevel upper, Sublevel lower) {
        for (LsmFile file : upper.files()) {
            boolean stands = lower.overlapping(file.bounds()).stream()
                    .anyMatch(support -> OLDEST_FIRST.compare(support, file) < 0);
            if (!stands) {
                throw new IllegalArgumentException(file + " stands on nothing older in " + lower.label());
            }
        }
    }

    /** The number of the last level. */
    public int bottomLevel() {
        return bottomLevel;
    }

    /** The sublevels that hold files, from the bottom to the top. */
    public List<Sublevel> sublevels() {
        return sublevels;
    }

    /** All files, from the bottom to the top, in key order within a sublevel. */
    public List<LsmFile> files() {
        return sublevels.stream().flatMap(sublevel -> sublevel.files().stream()).toList();
    }

    /** The number of files. */
    public int fileCount() {
        return byName.size();
    }

    /** The total length of all files. */
    public long totalBytes() {
        return totalBytes;
    }

    /**
     * The sublevel of a file.
     *
     * @throws IllegalArgumentException when there is no such file
     */
    public Sublevel sublevelOf(String name) {
        Sublevel sublevel = byName.get(name);
        if (sublevel == null) {
            throw new IllegalArgumentException("no file " + name + " in the map");
        }
        return sublevel;
    }

    /** The largest number of files over any key. */
    public int height() {
        return heights.max(0, axis.slots() - 1);
    }

    /** The largest number of files over a key within the bounds. */
    public int height(KeyBounds bounds) {
        return heights.max(axis.slotOf(bounds.smallest()), axis.slotOf(bounds.largest()));
    }

    /** Sublevels used within the bounds, gaps included: the position of the next file with these bounds. */
    public int top(KeyBounds bounds) {
        for (int i = sublevels.size() - 1; i >= 0; i--) {
            Sublevel sublevel = sublevels.get(i);
            if (!sublevel.overlapping(bounds).isEmpty()) {
                return sublevel.position() + 1;
            }
        }
        return 0;
    }

    /** Sublevels used over all keys, gaps included. */
    public int top() {
        return sublevels.isEmpty() ? 0 : sublevels.get(sublevels.size() - 1).position() + 1;
    }

    /** The total length of files at a position or above, which compactions that start there have to rewrite. */
    public long bytesFrom(int position) {
        return sublevels.stream()
                .filter(sublevel -> sublevel.position() >= position)
                .flatMap(sublevel -> sublevel.files().stream())
                .mapToLong(LsmFile::fileBytes)
                .sum();
    }

    /** The files that overlap the bounds, from the bottom to the top. */
    public List<LsmFile> overlapping(KeyBounds bounds) {
        return sublevels.stream()
                .flatMap(sublevel -> sublevel.overlapping(bounds).stream())
                .toList();
    }

    /**
     * The leftmost span over which the largest number of files stack; null when there are no files. The same files are
     * over all of it.
     */
    public @Nullable KeyBounds tallestPeak() {
        return axis.keys() == 0 ? null : tallestPeak(new KeyBounds(axis.key(0), axis.key(axis.keys() - 1)));
    }

    /** The same within the bounds; null when there are no files there. */
    public @Nullable KeyBounds tallestPeak(KeyBounds bounds) {
        int from = axis.slotOf(bounds.smallest());
        int to = axis.slotOf(bounds.largest());
        int height = heights.max(from, to);
        if (height == 0) {
            return null;
        }
        int first = from;
        while (heights.at(first) < height) {
            first++;
        }
        int last = first;
        while (last < to && heights.at(last + 1) == height) {
            last++;
        }
        // A stack grows at keys and shrinks after keys. So these two slots are keys, unless they are the ends of the
        // search; and while the height stays the same, so do the files.
        return new KeyBounds(
                first == from ? bounds.smallest() : axis.key(first / 2),
                last == to ? bounds.largest() : axis.key(last / 2));
    }

    /**
     * Draws the key space from left to right and the sublevels from the bottom up, newest on top. Each file is a box
     * from its first to its last key. First and last keys of files are spaced evenly.
     *
     * @param width columns to use, at least 20
     */
    public String describe(int width) {
        return new SublevelDrawing(this, axis, width).text();
    }
}
