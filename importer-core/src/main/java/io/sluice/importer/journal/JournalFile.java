package io.sluice.importer.journal;

import io.sluice.model.file.OwnerOnly;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.UUID;

/** One file of a {@link Journal}: the KVs of one checkpoint unit, until nodes have all of them durably. */
public final class JournalFile {
    private final Journal journal;
    private final Path path;
    private final FileChannel channel;
    private long number;
    private long end;

    /** Opens or creates a file. */
    JournalFile(Journal journal, Path path) throws IOException {
        this.journal = journal;
        this.path = path;
        channel = OwnerOnly.open(path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    /** Starts a new use of the file; earlier contents become invalid. */
    void begin() {
        number = UUID.randomUUID().getMostSignificantBits();
        end = 0;
    }

    long number() {
        return number;
    }

    /** Bytes written since {@link #begin}. */
    long bytes() {
        return end;
    }

    void write(ByteBuffer frames) throws IOException {
        while (frames.hasRemaining()) {
            end += channel.write(frames, end);
        }
    }

    /** Whether the file holds or held KVs of the owner; false for a file that was never used. */
    boolean isOf(Frames.Owner owner) throws IOException {
        ByteBuffer head = ByteBuffer.allocate(Frames.HEAD_BYTES);
        JournalReader.fill(channel, head, 0);
        return Frames.isOf(owner, head);
    }

    /**
     * Reads all completely written chunks, in their order.
     *
     * @param indexes number of indexes of the table
     */
    public void read(int indexes, JournaledChunk.Sink sink) throws IOException, InterruptedException {
        new JournalReader(channel, indexes).read(sink);
    }

    /** Frees the file for reuse. */
    public void release() {
        journal.released(this);
    }

    void close() throws IOException {
        channel.close();
    }

    @Override
    public String toString() {
        return path.toString();
    }
}
