package io.sluice.importer.job;

import io.sluice.api.kv.KvChecksum;
import io.sluice.importer.journal.JournalFile;
import io.sluice.importer.source.ReadSpan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What one worker read and handed over between two moments at which all its sort buffers were empty. When everything of
 * it was taken by the nodes, the splits in it are done: their rows need not be read again, whatever happens.
 *
 * <p>Filled by the worker; the threads that deliver say what was taken.
 */
final class CheckpointUnit {
    private final Map<Integer, List<ReadSpan>> spans = new TreeMap<>();
    private final KvChecksum[] taken;
    private final long[] repeated;
    private int spanCount;
    private long bytes;
    private long rows;
    private long rejects;
    private long lastOrdinal = -1;
    private int underWay;
    private @Nullable JournalFile journal;

    CheckpointUnit(int indexes) {
        taken = new KvChecksum[indexes];
        Arrays.fill(taken, KvChecksum.EMPTY);
        repeated = new long[indexes];
    }

    /** Names the file that holds its KVs until it is done. */
    synchronized void keep(@Nullable JournalFile file) {
        journal = file;
    }

    /** It is done, or nothing was read. */
    synchronized void release() {
        if (journal != null) {
            journal.release();
            journal = null;
        }
    }

    /** Adds a split, or a piece of one; its rows are in the worker's buffers, or handed over. */
    synchronized void read(ReadSplit split) {
        spans.computeIfAbsent(split.input(), input -> new ArrayList<>()).add(split.span());
        spanCount++;
        bytes += split.bytes();
        rows += split.rows();
        rejects += split.rejects();
        lastOrdinal = Math.max(lastOrdinal, split.ordinal());
    }

    /** Something is on its way to the nodes. If it fails, that is never said, and the group never done. */
    synchronized void sent() {
        underWay++;
    }

    /** What was on its way to the nodes was taken. */
    synchronized void taken(int index, KvChecksum sum) {
        underWay--;
        taken[index] = taken[index].plus(sum);
    }

    /** KVs were not handed over, because the same ones had been. */
    synchronized void held(int index, KvChecksum sum) {
        repeated[index] += sum.count();
    }

    /** Whether the nodes have everything that was sent. */
    synchronized boolean delivered() {
        return underWay == 0;
    }

    synchronized int spanCount() {
        return spanCount;
    }

    /** Bytes of text that were decoded. */
    synchronized long bytes() {
        return bytes;
    }

    /** The greatest ordinal of its splits. */
    synchronized long lastOrdinal() {
        return lastOrdinal;
    }

    /** The group in the form in which it is noted; all of it must be delivered. */
    synchronized CheckpointRecord note(List<String> indexNames) {
        return CheckpointRecord.of(spans, indexNames, taken, repeated, rows, rejects);
    }
}
