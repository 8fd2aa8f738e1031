package io.sluice.importer.job;

import io.sluice.api.node.ImportSession;
import io.sluice.importer.decode.RejectLog;
import io.sluice.importer.sort.ConflictLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * How far an import is for good. Whenever a worker has emptied its buffers, nodes have taken what was in them, and
 * rejects of the same splits are safe, a note says so. Notes are only added, so watermarks only grow; whoever resumes
 * the import reads what no note covers. Usable by several threads.
 */
final class CheckpointWriter {
    /**
     * What is read again after a kill is what workers have not emptied, half a group of each on average, and what is
     * under way to nodes: with groups of a hundredth of the input one or two hundredths of it.
     */
    private static final int GROUPS = 100;

    /**
     * Emptying buffers before they are full makes small SSTs, most of all of secondary indexes, whose KVs are a tenth
     * of a row; from 16 MiB of text those are large enough not to become Puts.
     */
    private static final long LEAST_BYTES = 16L << 20;

    /** Full buffers are SSTs of full size: larger groups make nothing better. 8 of 32 MiB. */
    private static final long ENOUGH_BYTES = 256L << 20;

    /** Of some KB each; a node keeps 64 MB of notes. */
    private static final int MOST_NOTES = 10_000;

    /** Of inputs whose length is not known: 256 MiB. */
    private static final long UNKNOWN_GROUP_BYTES = 256L << 20;

    /** Of 100 bytes each at most, so that a note has less than the 1 MiB that a node takes. */
    private static final int MOST_SPANS = 8_000;

    private final ImportSession session;
    private final RejectLog rejects;
    private final OpenBundle bundle;
    private final ConflictLog conflicts;
    private final ImportEvents events;
    private final long groupBytes;
    private final List<String> indexNames;
    private final Queue<CheckpointUnit> closed = new ConcurrentLinkedQueue<>();
    private final Lock noting = new ReentrantLock();

    /**
     * Watermarks of an import that begins or goes on.
     *
     * @param groupBytes after how many bytes of text a worker is to empty its buffers
     */
    CheckpointWriter(
            ImportContext context, RejectLog rejects, OpenBundle bundle, ImportEvents events, long groupBytes) {
        session = context.session();
        conflicts = context.conflicts();
        this.rejects = rejects;
        this.bundle = bundle;
        this.events = events;
        this.groupBytes = groupBytes;
        indexNames = context.table().indexes().stream()
                .map(index -> index.def().name())
                .toList();
    }

    /** After how many bytes of text a worker is to empty its buffers, for inputs of so many bytes (-1: not known). */
    static long groupBytes(int workers, long inputBytes) {
        if (inputBytes < 0) {
            return UNKNOWN_GROUP_BYTES;
        }
        long share = Math.min(ENOUGH_BYTES, inputBytes / GROUPS / workers);
        return Math.max(LEAST_BYTES, Math.max(share, inputBytes / MOST_NOTES));
    }

    /** Whether it is time for a worker to empty its buffers. */
    boolean isFull(CheckpointUnit group) {
        return group.bytes() >= groupBytes || group.spanCount() >= MOST_SPANS;
    }

    /** Takes a group whose worker has emptied its buffers. */
    void flushed(CheckpointUnit group) {
        if (group.spanCount() > 0) {
            closed.add(group);
            events.reached(ImportEvents.FLUSHED);
        } else {
            group.release();
        }
    }

    /** Notes the groups that are done by now, unless somebody else is at it. */
    void noteDone() {
        if (!closed.isEmpty() && noting.tryLock()) {
            try {
                note();
            } finally {
                noting.unlock();
            }
        }
    }

    private void note() {
        List<CheckpointUnit> done = new ArrayList<>();
        for (CheckpointUnit group : closed) {
            if (group.delivered() && rejects.passed(group.lastOrdinal())) {
                done.add(group);
            }
        }
        // With conflicts nothing will be published; and who comes next must see both rows of each to name them.
        if (done.isEmpty() || conflicts.conflicts() > 0) {
            return;
        }
        bundle.sync();
        for (CheckpointUnit group : done) {
            events.reached(ImportEvents.DELIVERED);
            CheckpointRecord note = group.note(indexNames);
            session.putCheckpoint(note.key(), note.toJson());
            closed.remove(group);
            group.release();
            events.reached(ImportEvents.NOTED);
        }
    }
}
