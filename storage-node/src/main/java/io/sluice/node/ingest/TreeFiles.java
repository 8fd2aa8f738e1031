package io.sluice.node.ingest;

import io.sluice.api.node.SstFile;
import io.sluice.engine.store.LiveSst;
import java.util.Arrays;
import java.util.List;

/** Compares the numbers of a tree's files. RocksDB numbers all created and ingested files in ascending order. */
final class TreeFiles {
    private TreeFiles() {}

    /** The highest file number; 0 when there are no files. */
    static long newest(List<LiveSst> live) {
        return live.stream().mapToLong(TreeFiles::number).max().orElse(0);
    }

    /**
     * Whether an SST has entered the tree after a point in time: a newer file has its bounds.
     *
     * @param newestBefore result of {@link #newest} at that time
     */
    static boolean cameSince(long newestBefore, SstFile sst, List<LiveSst> live) {
        return cameSince(newestBefore, sst.smallestKey(), sst.largestKey(), live);
    }

    /** The same for an SST with these bounds. */
    static boolean cameSince(long newestBefore, byte[] smallestKey, byte[] largestKey, List<LiveSst> live) {
        return live.stream()
                .anyMatch(file -> number(file) > newestBefore
                        && Arrays.equals(file.smallestKey(), smallestKey)
                        && Arrays.equals(file.largestKey(), largestKey));
    }

    private static long number(LiveSst file) {
        return Long.parseLong(file.name().substring(0, file.name().indexOf('.')));
    }
}
