package io.sluice.node.compact;

import java.util.List;

/** Makes picks of files. */
final class Picks {
    /**
     * A stack that files cross from end to end is merged by one merge at a time, and admission waits for that one: it
     * is worth dividing from 32 MiB on, an eighth of a second of one thread, against some milliseconds that dividing
     * costs.
     */
    private static final long TALL_PART_BYTES = 32L << 20;

    private Picks() {}

    /** A pick that merges these files, all that it needs, into a level. */
    static CompactionPick of(
            CompactionPick.Reason reason, List<LsmFile> inputs, int outputLevel, CompactionSettings settings) {
        long bytes = inputs.stream().mapToLong(LsmFile::fileBytes).sum();
        KeyBounds bounds = inputs.stream()
                .map(LsmFile::bounds)
                .reduce(KeyBounds::hull)
                .orElseThrow(() -> new IllegalArgumentException("a pick needs files"));
        long partBytes = reason == CompactionPick.Reason.FINAL
                ? settings.pickBytes()
                : Math.min(settings.pickBytes(), TALL_PART_BYTES);
        long parts = Math.min(settings.concurrentPicks(), bytes / partBytes + 1);
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
