package io.sluice.importer.journal;

import io.sluice.api.file.OwnerOnly;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.UUID;

/** One file of a {@link Journal}: KVs of one flush group, from its beginning until nodes have all of them for good. */
public final class JournalFile {
    private final Journal journal;
    private final Path path;
    private final FileChannel channel;
    private long number;
    private long end;

    /** Opens a file, or makes it. */
    JournalFile(Journal journal, Path path) throws IOException {
        this.journal = journal;
        this.path = path;
        channel = OwnerOnly.open(path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    /** Begins anew: what it held does not count any more. */
    void begin() {
        number = UUID.randomUUID().getMostSignificantBits();
        end = 0;
    }

    long number() {
        return number;
    }

    /** How much was written since it was begun. */
    long bytes() {
        return end;
    }

    void write(ByteBuffer frames) throws IOException {
        while (frames.hasRemaining()) {
            end += channel.write(frames, end);
        }
    }

    /** Whether it holds KVs of the owner, or did: a file that was never begun is nobody's. */
    boolean isOf(Frames.Owner owner) throws IOException {
        ByteBuffer head = ByteBuffer.allocate(Frames.HEAD_BYTES);
        JournalReader.fill(channel, head, 0);
        return Frames.isOf(owner, head);
    }

    /**
     * Reads all pieces that were written whole, in their order.
     *
     * @param indexes how many indexes the table has
     */
    public void read(int indexes, JournaledChunk.Sink sink) throws IOException, InterruptedException {
        new JournalReader(channel, indexes).read(sink);
    }

    /** Says that nobody needs what is in it. */
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
