package io.sluice.engine.compact;

import io.sluice.engine.store.KeyBounds;
import io.sluice.engine.store.LsmFile;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The input files and key bounds of running compactions, which new picks must avoid. Bounds are excluded as a whole for
 * two reasons: two compactions may not write the same keys of one level, and the tree does not show where outputs will
 * be.
 *
 * @param files names of the input files
 * @param bounds key bounds of the outputs
 */
public record CompactionsInProgress(Set<String> files, List<KeyBounds> bounds) {
    /** No running compactions. */
    public static final CompactionsInProgress NOTHING = new CompactionsInProgress(Set.of(), List.of());

    /** Copies both. */
    public CompactionsInProgress {
        files = Set.copyOf(files);
        bounds = List.copyOf(bounds);
    }

    /** The files and bounds of these compactions. */
    public static CompactionsInProgress of(Collection<CompactionPick> running) {
        CompactionsInProgress busy = NOTHING;
        for (CompactionPick pick : running) {
            busy = busy.with(pick);
        }
        return busy;
    }

    /** Adds one compaction. */
    public CompactionsInProgress with(CompactionPick pick) {
        Set<String> names = new HashSet<>(files);
        pick.inputs().forEach(input -> names.add(input.name()));
        List<KeyBounds> stretches = new ArrayList<>(bounds);
        stretches.add(pick.bounds());
        return new CompactionsInProgress(names, stretches);
    }

    /** Adds files that other work uses, for example RocksDB's own compactions. */
    public CompactionsInProgress withFiles(Collection<String> names) {
        Set<String> all = new HashSet<>(files);
        all.addAll(names);
        return new CompactionsInProgress(all, bounds);
    }

    boolean holds(LsmFile file) {
        return files.contains(file.name()) || overlaps(file.bounds());
    }

    boolean overlaps(KeyBounds stretch) {
        return bounds.stream().anyMatch(stretch::overlaps);
    }
}
