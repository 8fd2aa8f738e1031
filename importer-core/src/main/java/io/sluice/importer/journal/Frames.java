package io.sluice.importer.journal;

import io.sluice.importer.source.ReadSpan;
import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.zip.CRC32C;

/** Reads and writes the parts of a journal file. The package description has the format. */
final class Frames {
    static final int MAGIC = 0x534c4a31;
    static final int HEAD_BYTES = Integer.BYTES + 3 * Long.BYTES + Long.BYTES;

    /** CRC, type, index, length. */
    static final int FRAME_HEAD_BYTES = Integer.BYTES + 2 + Short.BYTES + Integer.BYTES;

    /** Largest frame: 256 KiB, so that the costs of headers and system calls are negligible. */
    static final int MAX_FRAME_BYTES = 256 << 10;

    static final byte KVS = 1;
    static final byte CHUNK = 2;
    static final byte DROP = 3;

    private static final int CHUNK_BYTES = Integer.BYTES + 6 * Long.BYTES + 1;
    private static final int FIRST = 1;
    private static final int LAST = 2;

    private Frames() {}

    /**
     * The import that a journal belongs to.
     *
     * @param importId id of the import on the nodes
     * @param tableId id of the table that the keys belong to
     */
    record Owner(UUID importId, long tableId) {}

    static void putHead(ByteBuffer target, Owner owner, long number) {
        target.putInt(MAGIC)
                .putLong(owner.importId().getMostSignificantBits())
                .putLong(owner.importId().getLeastSignificantBits())
                .putLong(owner.tableId())
                .putLong(number);
    }

    /** Whether a file with this head belongs to the owner. */
    static boolean isOf(Owner owner, ByteBuffer head) {
        return head.remaining() >= HEAD_BYTES
                && head.getInt() == MAGIC
                && head.getLong() == owner.importId().getMostSignificantBits()
                && head.getLong() == owner.importId().getLeastSignificantBits()
                && head.getLong() == owner.tableId();
    }

    /** Writes the head of a frame; its bytes are in place already. */
    static void seal(ByteBuffer frames, int frame, byte type, int index, int length, long number, CRC32C crc) {
        frames.put(frame + Integer.BYTES, type);
        frames.put(frame + Integer.BYTES + 1, (byte) 0);
        frames.putShort(frame + Integer.BYTES + 2, (short) index);
        frames.putInt(frame + Integer.BYTES + 2 + Short.BYTES, length);
        frames.putInt(frame, checksum(frames, frame, length, number, crc));
    }

    static int checksum(ByteBuffer frames, int frame, int length, long number, CRC32C crc) {
        crc.reset();
        for (int shift = Long.SIZE - Byte.SIZE; shift >= 0; shift -= Byte.SIZE) {
            crc.update((int) (number >>> shift));
        }
        crc.update(frames.slice(frame + Integer.BYTES, FRAME_HEAD_BYTES - Integer.BYTES + length));
        return (int) crc.getValue();
    }

    static void putChunk(ByteBuffer target, int input, ReadSpan span, long rows) {
        target.putInt(input)
                .putLong(span.start())
                .putLong(span.end())
                .putLong(span.lines())
                .putLong(span.records())
                .putLong(span.counted())
                .putLong(rows)
                .put((byte) ((span.first() ? FIRST : 0) | (span.last() ? LAST : 0)));
    }

    static JournaledChunk getChunk(ByteBuffer source, byte[][] entries) {
        int input = source.getInt();
        long start = source.getLong();
        long end = source.getLong();
        long lines = source.getLong();
        long records = source.getLong();
        long counted = source.getLong();
        long rows = source.getLong();
        byte ends = source.get();
        ReadSpan span = new ReadSpan(start, end, lines, records, counted, (ends & FIRST) != 0, (ends & LAST) != 0);
        return new JournaledChunk(input, span, rows, entries);
    }

    static int chunkBytes() {
        return CHUNK_BYTES;
    }
}
