package io.sluice.node.ingest;

import io.sluice.api.node.SstFile;
import io.sluice.engine.store.LiveSst;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Computes how high SSTs stack over a key, and which files of a tree are newer than others. RocksDB numbers all created
 * and ingested files in ascending order.
 */
final class LsmShape {
    private LsmShape() {}

    /** The begin or the end of a file's span. */
    @SuppressWarnings("ArrayRecordComponent")
    private record Edge(byte[] key, int change) {}

    /** The largest number of files whose spans share a key. One sweep over the files' ends, n log n. */
    static int maxHeight(List<LiveSst> files) {
        List<Edge> edges = new ArrayList<>(2 * files.size());
        for (LiveSst file : files) {
            edges.add(new Edge(file.smallestKey(), 1));
            edges.add(new Edge(file.largestKey(), -1));
        }
        return maxHeightBetween(edges);
    }

    /** The same for shipped SSTs. */
    static int maxHeightOf(List<SstFile> files) {
        List<Edge> edges = new ArrayList<>(2 * files.size());
        for (SstFile file : files) {
            edges.add(new Edge(file.smallestKey(), 1));
            edges.add(new Edge(file.largestKey(), -1));
        }
        return maxHeightBetween(edges);
    }

    private static int maxHeightBetween(List<Edge> edges) {
        // Spans include their last key, so at equal keys begins sort before ends.
        edges.sort(Comparator.comparing(Edge::key, Arrays::compareUnsigned)
                .thenComparing(Edge::change, Comparator.reverseOrder()));
        int height = 0;
        int max = 0;
        for (Edge edge : edges) {
            height += edge.change();
            max = Math.max(max, height);
        }
        return max;
    }

    static int filesInLevel0(List<LiveSst> files) {
        return (int) files.stream().filter(file -> file.level() == 0).count();
    }

    /** The highest file number; 0 when there are no files. */
    static long newest(List<LiveSst> live) {
        return live.stream().mapToLong(LsmShape::number).max().orElse(0);
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
