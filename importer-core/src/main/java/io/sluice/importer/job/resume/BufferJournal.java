package io.sluice.importer.job.resume;

import io.sluice.importer.job.read.ReadSplit;
import io.sluice.importer.journal.JournalFile;
import io.sluice.importer.journal.JournalWriter;
import io.sluice.importer.sort.SortBuffer;
import org.jspecify.annotations.Nullable;

/** Copies the contents of one worker's sort buffers into the journal. For one worker. */
public final class BufferJournal {
    private final JournalWriter writer;
    private final SortBuffer[] buffers;
    /** Bytes of each buffer that the journal has already. */
    private final int[] written;

    public BufferJournal(JournalWriter writer, SortBuffer[] buffers) {
        this.writer = writer;
        this.buffers = buffers;
        written = new int[buffers.length];
    }

    /**
     * Starts the journal file of the next checkpoint unit; all buffers are empty. Returns null when no file is free.
     */
    @Nullable
    public JournalFile begin() {
        emptied();
        return writer.begin();
    }

    /** Journals the rest of a buffer before it is emptied in the middle of a chunk. */
    public void emptying(int buffer) {
        writer.add(buffer, buffers[buffer].entries(), written[buffer], buffers[buffer].bytes());
        written[buffer] = 0;
    }

    /**
     * Journals a chunk whose rows are all in the buffers. Drops a chunk with rejects, since the journal keeps no
     * rejects: a resumed import reads it again.
     */
    public void chunkEnded(ReadSplit chunk) {
        for (int i = 0; i < buffers.length; i++) {
            emptying(i);
            written[i] = buffers[i].bytes();
        }
        if (chunk.rejects() == 0) {
            writer.chunk(chunk.input(), chunk.span(), chunk.rows());
        } else {
            writer.drop();
        }
    }

    /** Notes that buffers may have been emptied between two chunks. */
    public void emptied() {
        for (int i = 0; i < buffers.length; i++) {
            written[i] = buffers[i].bytes();
        }
    }
}
