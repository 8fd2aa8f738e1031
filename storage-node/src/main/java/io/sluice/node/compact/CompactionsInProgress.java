package io.sluice.node.compact;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What running merges hold: their input files, and the stretches of keys that their outputs will lie in. A file is
 * refused by name; a stretch is refused because two merges may not write into one level over the same keys, and because
 * between the inputs of a merge nothing shows that an output will come to lie there.
 *
 * @param files names of files that are being merged
 * @param bounds where merges will put files
 */
public record CompactionsInProgress(Set<String> files, List<KeyBounds> bounds) {
    /** Nothing runs. */
    public static final CompactionsInProgress NOTHING = new CompactionsInProgress(Set.of(), List.of());

    /** Copies both. */
    public CompactionsInProgress {
        files = Set.copyOf(files);
        bounds = List.copyOf(bounds);
    }

    /** What these merges hold. */
    public static CompactionsInProgress of(Collection<CompactionPick> running) {
        CompactionsInProgress busy = NOTHING;
        for (CompactionPick pick : running) {
            busy = busy.with(pick);
        }
        return busy;
    }

    /** With one more merge. */
    public CompactionsInProgress with(CompactionPick pick) {
        Set<String> names = new HashSet<>(files);
        pick.inputs().forEach(input -> names.add(input.name()));
        List<KeyBounds> stretches = new ArrayList<>(bounds);
        stretches.add(pick.bounds());
        return new CompactionsInProgress(names, stretches);
    }

    /** With files that somebody else works on, for example RocksDB by itself. */
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
