package io.sluice.node.compact;

import java.util.List;

/** Makes picks of files. */
final class Picks {
    private Picks() {}

    /** A pick that merges these files, all that it needs, into a level. */
    static CompactionPick of(
            CompactionPick.Reason reason, List<LsmFile> inputs, int outputLevel, CompactionSettings settings) {
        long bytes = inputs.stream().mapToLong(LsmFile::fileBytes).sum();
        KeyBounds bounds = inputs.stream()
                .map(LsmFile::bounds)
                .reduce(KeyBounds::hull)
                .orElseThrow(() -> new IllegalArgumentException("a pick needs files"));
        long parts = Math.min(settings.concurrentPicks(), bytes / settings.pickBytes() + 1);
        return new CompactionPick(
                reason,
                inputs,
                outputLevel,
                bounds,
                OutputSplits.of(inputs, settings.outputFileBytes()),
                settings.outputFileBytes(),
                bytes,
                (int) Math.max(1, parts));
    }
}
