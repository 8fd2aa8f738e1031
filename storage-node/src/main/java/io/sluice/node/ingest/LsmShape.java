package io.sluice.node.ingest;

import io.sluice.api.node.SstFile;
import io.sluice.engine.store.KeyBounds;
import io.sluice.engine.store.LsmFile;
import java.util.List;

/**
 * Computes how high SSTs stack over a key, and which files of a tree are newer than others. RocksDB numbers all created
 * and ingested files in ascending order.
 */
final class LsmShape {
    private LsmShape() {}

    /** The first and the last key of a shipped SST. */
    static KeyBounds bounds(SstFile sst) {
        return new KeyBounds(sst.smallestKey(), sst.largestKey());
    }

    /** The largest number of files whose spans share a key. */
    static int maxHeight(List<LsmFile> files) {
        return KeyBounds.maxHeight(files.stream().map(LsmFile::bounds).toList());
    }

    static int filesInLevel0(List<LsmFile> files) {
        return (int) files.stream().filter(file -> file.level() == 0).count();
    }

    /** The highest file number; 0 when there are no files. */
    static long newest(List<LsmFile> live) {
        return live.stream().mapToLong(LsmShape::number).max().orElse(0);
    }

    /**
     * Whether an SST with these bounds has entered the tree after a point in time: a newer file has its bounds.
     *
     * @param newestBefore result of {@link #newest} at that time
     */
    static boolean cameSince(long newestBefore, KeyBounds bounds, List<LsmFile> live) {
        return live.stream()
                .anyMatch(file -> number(file) > newestBefore && file.bounds().equals(bounds));
    }

    private static long number(LsmFile file) {
        return Long.parseLong(file.name().substring(0, file.name().indexOf('.')));
    }
}
