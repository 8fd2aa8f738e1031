package io.sluice.node.compact;

import java.util.List;

/**
 * One merge to be done: these files into one sorted run in a level.
 *
 * <p>Files that are ingested between the pick and its start can land among its inputs and are then merged with them, by
 * RocksDB itself; that is right, and why inputs are "at least these".
 *
 * @param reason why, in one word
 * @param inputs all files it takes, those included that RocksDB would add by itself
 * @param outputLevel the deepest level that the result can go to without passing older files
 * @param bounds first and last key of all inputs; no other merge works in here
 * @param splits keys at which output files should begin, ascending, so that none is wide; may be empty
 * @param outputFileBytes the size at which an output file should end in any case
 * @param inputBytes length of the inputs, and about that of the outputs
 * @param threads into how many parts of the key space it is worth dividing: above 1 only when it is larger than a pick
 *     should be and cannot be made smaller, because files cross every key
 */
public record CompactionPick(
        Reason reason,
        List<LsmFile> inputs,
        int outputLevel,
        KeyBounds bounds,
        List<byte[]> splits,
        long outputFileBytes,
        long inputBytes,
        int threads) {
    /** Why a merge is due. */
    public enum Reason {
        /** A stack reaches too high. */
        TALL,
        /** Files landed in level 0, where the next ones cannot pass them. */
        LEVEL_0,
        /** Many small files lie side by side. */
        SMALL,
        /** The import ends. */
        FINAL
    }

    /** Copies the lists. */
    public CompactionPick {
        inputs = List.copyOf(inputs);
        splits = List.copyOf(splits);
    }

    /** Whether nothing is merged: one file only falls into a deeper level. */
    public boolean isMove() {
        return inputs.size() == 1;
    }

    @Override
    public String toString() {
        List<String> names = inputs.stream().map(LsmFile::label).toList();
        List<String> cuts = splits.stream().map(KeyLabel::of).toList();
        return reason + " " + String.join(" ", names) + " -> L" + outputLevel + " " + bounds + ", "
                + Quantity.bytes(inputBytes) + (cuts.isEmpty() ? "" : ", cut at " + String.join(" ", cuts))
                + (threads == 1 ? "" : ", " + threads + " threads");
    }
}
