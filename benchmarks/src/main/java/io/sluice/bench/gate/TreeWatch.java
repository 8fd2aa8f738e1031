package io.sluice.bench.gate;

import io.sluice.engine.compact.SublevelMap;
import java.util.List;

/** The worst that was seen of a tree. Fed by one thread, read by others. */
final class TreeWatch {
    private static final int DRAWING_COLUMNS = 100;

    private int tallest;
    private int mostFiles;
    private int mostLevel0;
    private SublevelMap worst = SublevelMap.of(List.of(), 0);

    synchronized void look(SublevelMap map) {
        int level0 = map.sublevels().stream()
                .filter(sublevel -> sublevel.level() == 0)
                .mapToInt(sublevel -> sublevel.files().size())
                .sum();
        mostFiles = Math.max(mostFiles, map.fileCount());
        mostLevel0 = Math.max(mostLevel0, level0);
        int height = map.height();
        if (height > tallest || (height == tallest && map.fileCount() > worst.fileCount())) {
            tallest = height;
            worst = map;
        }
    }

    synchronized int tallest() {
        return tallest;
    }

    synchronized int mostFiles() {
        return mostFiles;
    }

    synchronized int mostLevel0() {
        return mostLevel0;
    }

    /** The tree when it was tallest. */
    synchronized String drawing() {
        return worst.describe(DRAWING_COLUMNS);
    }
}
