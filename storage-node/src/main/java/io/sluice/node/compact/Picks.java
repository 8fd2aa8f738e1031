package io.sluice.node.compact;

import java.util.ArrayList;
import java.util.Arrays;
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
                splits(inputs, settings.outputFileBytes()),
                settings.outputFileBytes(),
                bytes,
                (int) Math.max(1, parts));
    }

    /**
     * Keys to cut the outputs at: where inputs begin, whenever those that began since the last cut amount to an output
     * file. Where inputs begin is where the writer cut, so outputs stay within what one flush's files covered.
     */
    private static List<byte[]> splits(List<LsmFile> inputs, long outputFileBytes) {
        List<LsmFile> byKey = new ArrayList<>(inputs);
        byKey.sort(SublevelMap.KEY_ORDER);
        List<byte[]> splits = new ArrayList<>();
        byte[] last = byKey.get(0).bounds().smallest();
        long since = 0;
        for (LsmFile file : byKey) {
            byte[] key = file.bounds().smallest();
            if (since >= outputFileBytes && !Arrays.equals(last, key)) {
                splits.add(key);
                last = key;
                since = 0;
            }
            since += file.fileBytes();
        }
        return splits;
    }
}
