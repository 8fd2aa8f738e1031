package io.sluice.importer.job;

import io.sluice.importer.journal.JournalFile;
import io.sluice.importer.journal.JournalWriter;
import io.sluice.importer.sort.SortBuffer;
import org.jspecify.annotations.Nullable;

/** What one worker's sort buffers hold, in the journal too. */
final class BufferJournal {
    private final JournalWriter writer;
    private final SortBuffer[] buffers;
    /** How much of each buffer is in the journal. */
    private final int[] written;

    BufferJournal(JournalWriter writer, SortBuffer[] buffers) {
        this.writer = writer;
        this.buffers = buffers;
        written = new int[buffers.length];
    }

    /** All buffers are empty: what comes belongs to another group. Returns the file that holds it, if there is one. */
    @Nullable
    JournalFile begin() {
        emptied();
        return writer.begin();
    }

    /** A buffer is about to be emptied in the middle of a piece. */
    void leaving(int buffer) {
        writer.add(buffer, buffers[buffer].entries(), written[buffer], buffers[buffer].bytes());
        written[buffer] = 0;
    }

    /** All rows of a piece are in the buffers. One with rejects is to be read again, for those are not kept here. */
    void ended(ReadSplit piece) {
        for (int i = 0; i < buffers.length; i++) {
            leaving(i);
            written[i] = buffers[i].bytes();
        }
        if (piece.rejects() == 0) {
            writer.piece(piece.input(), piece.span(), piece.rows());
        } else {
            writer.drop();
        }
    }

    /** Buffers may have been emptied between two pieces. */
    void emptied() {
        for (int i = 0; i < buffers.length; i++) {
            written[i] = buffers[i].bytes();
        }
    }
}
