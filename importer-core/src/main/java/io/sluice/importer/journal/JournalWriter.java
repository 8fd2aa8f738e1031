package io.sluice.importer.journal;

import io.sluice.importer.source.ReadSpan;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Writes the KVs of one worker's sort buffers to the journal, and after each chunk the span of the input that they come
 * from. A unit with more than {@link #MAX_FILE_BYTES} is not journaled to its end: the journal reduces repeated
 * reading, and with such large units the rest hardly matters.
 */
public final class JournalWriter {
    /** Largest file: 64 MiB for each worker and each of its units under way; with 2 workers less than 1 GB of disk. */
    static final long MAX_FILE_BYTES = 64L << 20;

    private final Journal journal;
    private final ByteBuffer frames = ByteBuffer.allocateDirect(Frames.FRAME_HEAD_BYTES + Frames.MAX_FRAME_BYTES);
    private final CRC32C crc = new CRC32C();
    private @Nullable JournalFile file;
    private boolean dirty;

    JournalWriter(Journal journal) {
        this.journal = journal;
    }

    /**
     * Starts a checkpoint unit.
     *
     * @return the file of the unit, which the caller releases when the unit is done; null if no file is free because
     *     nodes lag far behind: writes are then ignored
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

    /** Adds entries of a sort buffer; all of a chunk's entries must be added before {@link #chunk}. */
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

    /** Completes a chunk: records the span of the input that the KVs since the last chunk come from. */
    public void chunk(int input, ReadSpan span, long rows) {
        if (file == null) {
            return;
        }
        makeRoom(Frames.FRAME_HEAD_BYTES + Frames.chunkBytes());
        int frame = frames.position();
        frames.position(frame + Frames.FRAME_HEAD_BYTES);
        Frames.putChunk(frames, input, span, rows);
        seal(frame, Frames.CHUNK, 0, Frames.chunkBytes());
        dirty = false;
        write();
        JournalFile written = file;
        if (written != null && written.bytes() > MAX_FILE_BYTES) {
            file = null;
        }
    }

    /** Drops the KVs since the last chunk. */
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
