package io.sluice.importer.journal;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.zip.CRC32C;

/** Reads a journal file up to its first torn frame or frame of an earlier use. */
final class JournalReader {
    private final FileChannel channel;
    private final ByteBuffer buffer = ByteBuffer.allocate(2 * (Frames.FRAME_HEAD_BYTES + Frames.MAX_FRAME_BYTES));
    private final CRC32C crc = new CRC32C();
    private final ByteArrayOutputStream[] entries;
    private long position;

    JournalReader(FileChannel channel, int indexes) {
        this.channel = channel;
        entries = new ByteArrayOutputStream[indexes];
        for (int i = 0; i < indexes; i++) {
            entries[i] = new ByteArrayOutputStream();
        }
    }

    void read(JournaledChunk.Sink sink) throws IOException, InterruptedException {
        fill(channel, buffer, 0);
        if (buffer.remaining() < Frames.HEAD_BYTES) {
            return;
        }
        long number = buffer.getLong(Frames.HEAD_BYTES - Long.BYTES);
        position = buffer.limit();
        buffer.position(Frames.HEAD_BYTES);
        while (next(number)) {
            int frame = buffer.position();
            byte type = buffer.get(frame + Integer.BYTES);
            int index = buffer.getShort(frame + Integer.BYTES + 2);
            int length = length(frame);
            buffer.position(frame + Frames.FRAME_HEAD_BYTES);
            switch (type) {
                case Frames.KVS -> entries[index].write(buffer.array(), buffer.position(), length);
                case Frames.CHUNK -> sink.take(Frames.getChunk(buffer.duplicate(), taken()));
                default -> taken();
            }
            buffer.position(frame + Frames.FRAME_HEAD_BYTES + length);
        }
    }

    private byte[][] taken() {
        byte[][] taken = new byte[entries.length][];
        for (int i = 0; i < taken.length; i++) {
            taken[i] = entries[i].toByteArray();
            entries[i].reset();
        }
        return taken;
    }

    private int length(int frame) {
        return buffer.getInt(frame + Frames.FRAME_HEAD_BYTES - Integer.BYTES);
    }

    /** Whether a valid frame starts at the buffer's position; if so, the buffer holds all of it. */
    private boolean next(long number) throws IOException {
        if (buffer.remaining() < Frames.FRAME_HEAD_BYTES + Frames.MAX_FRAME_BYTES) {
            buffer.compact();
            position += fillOn(channel, buffer, position);
        }
        int frame = buffer.position();
        if (buffer.remaining() < Frames.FRAME_HEAD_BYTES) {
            return false;
        }
        int length = length(frame);
        return length >= 0
                && length <= Frames.MAX_FRAME_BYTES
                && Frames.FRAME_HEAD_BYTES + length <= buffer.remaining()
                && Frames.checksum(buffer, frame, length, number, crc) == buffer.getInt(frame);
    }

    /** Fills an empty buffer from a position of the file, up to its end, and flips the buffer. */
    static void fill(FileChannel channel, ByteBuffer buffer, long position) throws IOException {
        buffer.clear();
        long unused = fillOn(channel, buffer, position);
    }

    private static long fillOn(FileChannel channel, ByteBuffer buffer, long position) throws IOException {
        long at = position;
        int read = 0;
        while (buffer.hasRemaining() && read >= 0) {
            read = channel.read(buffer, at);
            at += Math.max(0, read);
        }
        buffer.flip();
        return at - position;
    }
}
