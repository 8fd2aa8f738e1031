package io.sluice.importer.job.resume;

import io.sluice.api.node.ImportSession;
import io.sluice.importer.decode.RejectLog;
import io.sluice.importer.job.ImportEvents;
import io.sluice.importer.job.read.OpenBundle;
import io.sluice.importer.sort.ConflictLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Writes a checkpoint record when all KVs of a {@link CheckpointUnit} are on the nodes and its rejects are durable. A
 * resumed import reads only input that no record covers. Usable by several threads.
 */
public final class CheckpointWriter {
    /**
     * Units per input. A kill costs reading the workers' open units again (half a unit each on average) and what is
     * under way to the nodes. With a hundredth of the input per unit, that is one or two hundredths of the input.
     */
    private static final int UNITS = 100;

    /** Least text per unit: 16 MiB. */
    private static final long MIN_BYTES = 16L << 20;

    /** Larger units gain nothing, since full buffers give SSTs of full size: 8 buffers of 32 MiB. */
    private static final long MAX_BYTES = 256L << 20;

    /** Age from which a unit ends even if that makes small SSTs: 10 s, what a killed worker has to do again. */
    private static final long MAX_NANOS = 10_000_000_000L;

    /** Most records of an import: some KB each, and a node keeps 64 MB of them. */
    private static final int MAX_RECORDS = 10_000;

    /** Text per unit for inputs of unknown length: 256 MiB. */
    private static final long UNKNOWN_UNIT_BYTES = 256L << 20;

    /** Most spans of a record: at most 100 bytes each, and a node takes records up to 1 MiB. */
    private static final int MAX_SPANS = 8_000;

    private final ImportSession session;
    private final RejectLog rejects;
    private final OpenBundle bundle;
    private final ConflictLog conflicts;
    private final ImportEvents events;
    private final long unitBytes;
    private final List<String> indexNames;
    private final Queue<CheckpointUnit> closed = new ConcurrentLinkedQueue<>();
    private final Lock recording = new ReentrantLock();

    /**
     * Creates the writer of one attempt.
     *
     * @param unitBytes text that a worker decodes before it empties its buffers
     */
    public CheckpointWriter(
            ImportSession session,
            ConflictLog conflicts,
            RejectLog rejects,
            OpenBundle bundle,
            ImportEvents events,
            long unitBytes) {
        this.session = session;
        this.conflicts = conflicts;
        this.rejects = rejects;
        this.bundle = bundle;
        this.events = events;
        this.unitBytes = unitBytes;
        indexNames = session.table().indexes().stream()
                .map(index -> index.def().name())
                .toList();
    }

    /** Bytes of text that a worker decodes before it empties its buffers. */
    public static long unitBytes(int workers, long textBytes) {
        if (textBytes < 0) {
            return UNKNOWN_UNIT_BYTES;
        }
        long share = Math.min(MAX_BYTES, textBytes / UNITS / workers);
        return Math.max(MIN_BYTES, Math.max(share, textBytes / MAX_RECORDS));
    }

    /**
     * Whether a unit is large enough for its worker to empty the buffers.
     *
     * @param wellFilled whether the buffers give SSTs of good size. Those of secondary indexes fill slowly, since their
     *     KVs are a tenth of a row; emptied at every chance, they gave stacks of small SSTs that took the node twice
     *     the processor time to merge
     */
    public boolean isFull(CheckpointUnit unit, boolean wellFilled) {
        return (unit.bytes() >= unitBytes && (wellFilled || unit.bytes() >= MAX_BYTES || unit.ageNanos() >= MAX_NANOS))
                || unit.spanCount() >= MAX_SPANS;
    }

    /** Takes a unit whose worker has emptied its buffers. */
    public void flushed(CheckpointUnit unit) {
        if (unit.spanCount() > 0) {
            closed.add(unit);
            events.reached(ImportEvents.FLUSHED);
        } else {
            unit.release();
        }
    }

    /** Records the units that are done, unless another thread is doing so. */
    public void recordDone() {
        if (!closed.isEmpty() && recording.tryLock()) {
            try {
                record();
            } finally {
                recording.unlock();
            }
        }
    }

    private void record() {
        List<CheckpointUnit> done = new ArrayList<>();
        for (CheckpointUnit unit : closed) {
            if (unit.delivered() && rejects.passed(unit.lastOrdinal())) {
                done.add(unit);
            }
        }
        // With conflicts nothing is published, and the next attempt must read both rows of each conflict to name them.
        if (done.isEmpty() || conflicts.conflicts() > 0) {
            return;
        }
        bundle.sync();
        for (CheckpointUnit unit : done) {
            events.reached(ImportEvents.DELIVERED);
            CheckpointRecord record = unit.toRecord(indexNames);
            session.putCheckpoint(record.key(), record.toJson());
            closed.remove(unit);
            unit.release();
            events.reached(ImportEvents.NOTED);
        }
    }
}
