package io.sluice.importer.journal;

import io.sluice.importer.source.ReadSpan;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * What one worker writes to the journal: KVs as they lie in its sort buffers, and now and then what of the input they
 * were made from. Who writes more than {@link #MOST_FILE_BYTES} between two calls of {@link #begin} does so in vain: a
 * journal is there to make small what is read again, and beside an input with such groups that much is small.
 */
public final class JournalWriter {
    /** 64 MiB of each worker, and of each of its groups on their way: with 2 workers less than 1 GB of disk. */
    static final long MOST_FILE_BYTES = 64L << 20;

    private final Journal journal;
    private final ByteBuffer frames = ByteBuffer.allocateDirect(Frames.FRAME_HEAD_BYTES + Frames.MOST_FRAME_BYTES);
    private final CRC32C crc = new CRC32C();
    private @Nullable JournalFile file;
    private boolean dirty;

    JournalWriter(Journal journal) {
        this.journal = journal;
    }

    /**
     * Begins a group.
     *
     * @return the file that holds what is written from now on, to be released when nobody needs it; null when there is
     *     none, because nodes are far behind: what is written goes nowhere
     */
    public @Nullable JournalFile begin() {
        file = journal.free();
        frames.clear();
        dirty = false;
        if (file != null) {
            Frames.putHead(frames, journal.owner(), file.number());
        }
        return file;
    }

    /** Adds entries of a sort buffer; they must be whole when a piece is said to be done. */
    public void add(int index, byte[] entries, int from, int to) {
        int at = from;
        while (at < to && file != null) {
            if (frames.remaining() <= Frames.FRAME_HEAD_BYTES) {
                write();
                continue;
            }
            int length = Math.min(to - at, frames.remaining() - Frames.FRAME_HEAD_BYTES);
            int frame = frames.position();
            frames.position(frame + Frames.FRAME_HEAD_BYTES);
            frames.put(entries, at, length);
            seal(frame, Frames.KVS, index, length);
            at += length;
            dirty = true;
        }
    }

    /** Says what of the input the KVs since the last piece were made from; it counts from now on. */
    public void piece(int input, ReadSpan span, long rows) {
        if (file == null) {
            return;
        }
        makeRoom(Frames.FRAME_HEAD_BYTES + Frames.pieceBytes());
        int frame = frames.position();
        frames.position(frame + Frames.FRAME_HEAD_BYTES);
        Frames.putPiece(frames, input, span, rows);
        seal(frame, Frames.PIECE, 0, Frames.pieceBytes());
        dirty = false;
        write();
        JournalFile written = file;
        if (written != null && written.bytes() > MOST_FILE_BYTES) {
            file = null;
        }
    }

    /** The KVs since the last piece do not count. */
    public void drop() {
        if (file == null || !dirty) {
            return;
        }
        makeRoom(Frames.FRAME_HEAD_BYTES);
        int frame = frames.position();
        frames.position(frame + Frames.FRAME_HEAD_BYTES);
        seal(frame, Frames.DROP, 0, 0);
        dirty = false;
    }

    private void seal(int frame, byte type, int index, int length) {
        JournalFile written = file;
        if (written != null) {
            Frames.seal(frames, frame, type, index, length, written.number(), crc);
        }
    }

    private void makeRoom(int bytes) {
        if (frames.remaining() < bytes) {
            write();
        }
    }

    private void write() {
        frames.flip();
        JournalFile written = file;
        try {
            if (written != null) {
                written.write(frames);
            }
        } catch (IOException e) {
            // Nothing is lost by it: the file ends with what was written before.
            file = null;
            journal.failed(e);
        }
        frames.clear();
    }
}
