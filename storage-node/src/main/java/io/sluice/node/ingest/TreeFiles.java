package io.sluice.node.ingest;

import io.sluice.node.catalog.Receipt;
import io.sluice.node.store.LiveSst;
import java.util.Arrays;
import java.util.List;

/** What the numbers of a tree's files tell. RocksDB counts upward for all files it ever makes or takes in. */
final class TreeFiles {
    private TreeFiles() {}

    /** The highest number of a file; 0 when there is none. */
    static long newest(List<LiveSst> live) {
        return live.stream().mapToLong(TreeFiles::number).max().orElse(0);
    }

    /**
     * Whether an SST has entered the tree since a moment: some file has its bounds and came later.
     *
     * @param newestBefore what {@link #newest} said at that moment
     */
    static boolean cameSince(long newestBefore, Receipt sst, List<LiveSst> live) {
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
