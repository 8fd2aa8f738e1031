package io.sluice.engine.compact;

import io.sluice.engine.store.KeyBounds;
import io.sluice.engine.store.LsmFile;
import java.util.List;

/** Creates picks. */
final class Picks {
    /**
     * Bytes above which a pick of a tall stack uses several threads. Files that cross the whole stack allow one
     * compaction at a time, and admission waits for it. 32 MiB take one thread an eighth of a second; a split costs
     * some milliseconds.
     */
    private static final long TALL_PART_BYTES = 32L << 20;

    private Picks() {}

    /** Creates a pick that compacts these files, a complete closure, into a level. */
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
