package io.sluice.node.compact;

import java.util.ArrayList;
import java.util.List;

/**
 * Chooses which files of a column family to merge next. Pure: the tree, what is being merged and the settings in, picks
 * out. The picks of one call and those that run work on disjoint stretches of keys, so all can run at once.
 *
 * <p>What it asks of the writer: SSTs of all flushes cut at common split keys. Then files overlap only within a stretch
 * between two split keys, each stretch is a stack of its own, and stacks are merged side by side, each byte once. Where
 * wide files cross every key there is one stack, which is still merged once, but by one merge. That one needs as much
 * free disk as the stack has bytes.
 *
 * <p>What it asks of the caller: to ask again when a merge ends or a file arrives. In mode FINAL the work is done when
 * nothing is picked and nothing runs.
 */
public final class CompactionPicker {
    private final CompactionSettings settings;

    public CompactionPicker(CompactionSettings settings) {
        this.settings = settings;
    }

    /**
     * The merges to start now, the most urgent first; none when nothing is due or as many run as may.
     *
     * @param map the tree of a column family with levels below level 0
     * @param busy what running merges hold
     * @param running how many of them there are
     */
    public List<CompactionPick> pick(SublevelMap map, CompactionsInProgress busy, int running, CompactionMode mode) {
        if (map.bottomLevel() == 0) {
            throw new IllegalArgumentException("a level 0 by itself has no level to merge into");
        }
        int free = settings.concurrentPicks() - running;
        List<CompactionPick> picks = new ArrayList<>();
        CompactionsInProgress held = busy;
        for (PickSource source : sources(map, mode)) {
            CompactionPick pick = picks.size() < free ? source.next(held) : null;
            while (pick != null) {
                picks.add(pick);
                held = held.with(pick);
                pick = picks.size() < free ? source.next(held) : null;
            }
        }
        return picks;
    }

    /** Where picks come from, the most urgent first. */
    private List<PickSource> sources(SublevelMap map, CompactionMode mode) {
        return switch (mode) {
            case OFFLINE ->
                List.of(new TallestStackPicks(
                        map, settings.offlineStart(), settings.offlineRelief(), settings.offlineFanIn(), settings));
            case ONLINE ->
                List.of(
                        new TallestStackPicks(
                                map, settings.onlineStart(), settings.onlineRelief(), map.bottomLevel(), settings),
                        new SmallFilePicks(map, settings));
            case FINAL -> List.of(new FinalPicks(map, settings));
        };
    }
}
