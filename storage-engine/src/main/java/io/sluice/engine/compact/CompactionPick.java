package io.sluice.engine.compact;

import io.sluice.engine.store.KeyBounds;
import io.sluice.engine.store.LsmFile;
import java.util.List;
import java.util.Locale;

/**
 * A compaction to run: it merges files into one sorted run in a level.
 *
 * <p>RocksDB also takes files that are ingested among the inputs between the pick and its start. That is correct; the
 * inputs are therefore "at least these".
 *
 * @param reason the reason, in one word
 * @param inputs all input files, including those that RocksDB would add by itself
 * @param outputLevel the deepest level that the output can go to without passing older files
 * @param bounds first and last key of all inputs; no other compaction runs within them
 * @param outputFileBytes largest size of an output file
 * @param inputBytes length of the inputs, about equal to that of the outputs
 * @param threads number of subcompactions that are worth their start: above 1 where files cross every key, so that
 *     picks cannot keep all threads busy
 */
public record CompactionPick(
        Reason reason,
        List<LsmFile> inputs,
        int outputLevel,
        KeyBounds bounds,
        long outputFileBytes,
        long inputBytes,
        int threads) {
    private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB"};

    /**
     * Bytes above which a pick uses several threads. Files that cross the whole stack allow one compaction at a time,
     * and admission, or the end of the import, waits for it. 32 MiB take one thread an eighth of a second; a split
     * costs some milliseconds.
     */
    private static final long PART_BYTES = 32L << 20;

    /** The reason of a compaction. */
    public enum Reason {
        /** A stack is too high. */
        TALL,
        /** Files are in level 0, where newer ones cannot pass them. */
        LEVEL_0,
        /** Many small files are adjacent. */
        SMALL,
        /** The import ends. */
        FINAL
    }

    /** Copies the list. */
    public CompactionPick {
        inputs = List.copyOf(inputs);
    }

    /** Creates a pick that compacts these files, a complete closure, into a level, with all threads if it is large. */
    static CompactionPick of(Reason reason, List<LsmFile> inputs, int outputLevel, CompactionSettings settings) {
        return of(reason, inputs, outputLevel, settings, leastPartBytes(settings));
    }

    /** Creates a pick with one thread more for each {@code partBytes} of its length. */
    static CompactionPick of(
            Reason reason, List<LsmFile> inputs, int outputLevel, CompactionSettings settings, long partBytes) {
        long bytes = LsmFile.bytesOf(inputs);
        KeyBounds bounds = inputs.stream()
                .map(LsmFile::bounds)
                .reduce(KeyBounds::hull)
                .orElseThrow(() -> new IllegalArgumentException("a pick needs files"));
        long parts = Math.min(settings.concurrentPicks(), bytes / partBytes + 1);
        return new CompactionPick(
                reason, inputs, outputLevel, bounds, settings.outputFileBytes(), bytes, (int) Math.max(1, parts));
    }

    /** The least length of a pick for each of its threads. */
    static long leastPartBytes(CompactionSettings settings) {
        return Math.min(settings.pickBytes(), PART_BYTES);
    }

    @Override
    public String toString() {
        List<String> names = inputs.stream().map(LsmFile::label).toList();
        return reason + " " + String.join(" ", names) + " -> L" + outputLevel + " " + bounds + ", " + amount(inputBytes)
                + (threads == 1 ? "" : ", " + threads + " threads");
    }

    /** Formats an amount: three digits at most, and a binary unit: {@code 512 B}, {@code 1.5 MiB}. */
    static String amount(long bytes) {
        double amount = bytes;
        int unit = 0;
        while (amount >= 1024 && unit < UNITS.length - 1) {
            amount /= 1024;
            unit++;
        }
        String digits = amount == Math.rint(amount) || amount >= 100 ? "%.0f %s" : "%.1f %s";
        return String.format(Locale.ROOT, digits, amount, UNITS[unit]);
    }
}
