package io.sluice.importer.job.resume;

import io.sluice.importer.job.Stage;
import io.sluice.importer.job.read.ReadSplit;
import io.sluice.importer.job.read.StageClock;
import io.sluice.importer.journal.JournalFile;
import io.sluice.importer.source.ReadSpan;
import io.sluice.model.kv.KvChecksum;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Counts what one worker read and handed over between two moments at which all its sort buffers were empty. The unit is
 * done when nodes have taken all its KVs: its rows need not be read again.
 *
 * <p>Thread-safe: the worker adds what it reads, delivering threads add what nodes took.
 */
public final class CheckpointUnit {
    private final Map<Integer, List<ReadSpan>> spans = new TreeMap<>();
    private final StageClock clock;
    private final KvChecksum[] taken;
    private final long[] repeated;
    private final long beganNanos = System.nanoTime();
    private int spanCount;
    private long bytes;
    private long rows;
    private long rejects;
    private long lastOrdinal = -1;
    private int underWay;
    private @Nullable JournalFile journal;

    /**
     * Creates an empty unit.
     *
     * @param clock the worker's clock
     */
    public CheckpointUnit(int indexes, StageClock clock) {
        this.clock = clock;
        taken = new KvChecksum[indexes];
        Arrays.fill(taken, KvChecksum.EMPTY);
        repeated = new long[indexes];
    }

    /** Measures the worker's next activity; called by the worker alone. */
    public void enter(Stage stage) {
        clock.enter(stage);
    }

    /** Sets the journal file that holds the unit's KVs until it is done. */
    public synchronized void keep(@Nullable JournalFile file) {
        journal = file;
    }

    /** Releases the journal file, since the unit is done or empty. */
    synchronized void release() {
        if (journal != null) {
            journal.release();
            journal = null;
        }
    }

    /** Adds a split, or a chunk of one, whose rows are in the worker's buffers or handed over. */
    public synchronized void read(ReadSplit split) {
        spans.computeIfAbsent(split.input(), input -> new ArrayList<>()).add(split.span());
        spanCount++;
        bytes += split.bytes();
        rows += split.rows();
        rejects += split.rejects();
        lastOrdinal = Math.max(lastOrdinal, split.ordinal());
    }

    /**
     * Counts a delivery to the nodes that has begun. A delivery that fails is never taken off, so the unit is never
     * done.
     */
    public synchronized void sent() {
        underWay++;
    }

    /** Counts a delivery that the nodes have taken. */
    public synchronized void taken(int index, KvChecksum sum) {
        underWay--;
        taken[index] = taken[index].plus(sum);
    }

    /** Counts repeated KVs that are not handed over. */
    public synchronized void held(int index, KvChecksum sum) {
        repeated[index] += sum.count();
    }

    /** Whether the nodes have taken all deliveries. */
    synchronized boolean delivered() {
        return underWay == 0;
    }

    synchronized int spanCount() {
        return spanCount;
    }

    /** Bytes of text that the worker decoded. */
    synchronized long bytes() {
        return bytes;
    }

    long ageNanos() {
        return System.nanoTime() - beganNanos;
    }

    /** Greatest ordinal of the unit's splits. */
    synchronized long lastOrdinal() {
        return lastOrdinal;
    }

    /** The unit's checkpoint record; all its KVs must be delivered. */
    synchronized CheckpointRecord toRecord(List<String> indexNames) {
        return CheckpointRecord.of(spans, indexNames, taken, repeated, rows, rejects);
    }
}
