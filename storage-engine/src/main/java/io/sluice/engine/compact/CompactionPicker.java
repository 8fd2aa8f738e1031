package io.sluice.engine.compact;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Picks the next compactions of a column family. A pure function of the tree, the running compactions and the settings.
 * The picks of one call and the running ones have disjoint key bounds, so all can run in parallel.
 *
 * <p>The writer should cut the SSTs of all flushes at common split keys. Then files overlap only between two split
 * keys, each such span is a stack of its own, and stacks are compacted in parallel, each byte once. Where wide files
 * cross every key there is one stack. It is still rewritten once, but by one compaction, which needs as much free disk
 * as the stack has bytes.
 *
 * <p>The caller asks again when a compaction ends or a file arrives. In mode FINAL the work is done when there is no
 * pick and no running compaction.
 */
public final class CompactionPicker {
    private final CompactionSettings settings;

    public CompactionPicker(CompactionSettings settings) {
        this.settings = settings;
    }

    /**
     * Picks the compactions to start now, the most urgent first; none when none is due or the limit of running ones is
     * reached.
     *
     * @param map the tree of a column family with levels below level 0
     * @param busy files and bounds of running compactions
     * @param running number of running compactions
     */
    public List<CompactionPick> pick(SublevelMap map, CompactionsInProgress busy, int running, CompactionMode mode) {
        if (map.bottomLevel() == 0) {
            throw new IllegalArgumentException("a level 0 by itself has no level to merge into");
        }
        int free = settings.concurrentPicks() - running;
        List<CompactionPick> picks = new ArrayList<>();
        CompactionsInProgress held = busy;
        for (Function<CompactionsInProgress, @Nullable CompactionPick> source : sources(map, mode)) {
            CompactionPick pick = picks.size() < free ? source.apply(held) : null;
            while (pick != null) {
                picks.add(pick);
                held = held.with(pick);
                pick = picks.size() < free ? source.apply(held) : null;
            }
        }
        return picks;
    }

    /** The sources of picks for a mode, the most urgent first. */
    private List<Function<CompactionsInProgress, @Nullable CompactionPick>> sources(
            SublevelMap map, CompactionMode mode) {
        return switch (mode) {
            case OFFLINE ->
                List.of(
                        new TallestStackPicks(
                                map,
                                settings.offline().start(),
                                settings.offline().relief(),
                                settings.offlineFanIn(),
                                settings)::next);
            case ONLINE ->
                List.of(
                        new TallestStackPicks(
                                map,
                                settings.online().start(),
                                settings.online().relief(),
                                map.bottomLevel(),
                                settings)::next,
                        new SmallFilePicks(map, settings)::next);
            case FINAL -> List.of(new FinalPicks(map, settings)::next);
        };
    }
}
