package io.sluice.importer.journal;

import io.sluice.importer.source.ReadSpan;
import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * How a journal file is laid out, numbers in big-endian order:
 *
 * <pre>
 *   head    magic, owner (import, table), number
 *   frame   CRC-32C of number and all that follows, type, index, length, bytes
 *           KVS    entries of a sort buffer; one may go on in the next frame of its index
 *           PIECE  what of the input the KVs since the last PIECE or DROP were made from
 *           DROP   no bytes: what came since the last PIECE or DROP does not count
 * </pre>
 *
 * Files are written over again, each time with another number, so that a frame of an earlier time is as good as a torn
 * one: what is valid ends there.
 */
final class Frames {
    static final int MAGIC = 0x534c4a31;
    static final int HEAD_BYTES = Integer.BYTES + 3 * Long.BYTES + Long.BYTES;

    /** CRC, type, index, length. */
    static final int FRAME_HEAD_BYTES = Integer.BYTES + 2 + Short.BYTES + Integer.BYTES;

    /** Most bytes of a frame: large enough that heads and calls of the system cost nothing beside them. */
    static final int MOST_FRAME_BYTES = 256 << 10;

    static final byte KVS = 1;
    static final byte PIECE = 2;
    static final byte DROP = 3;

    private static final int PIECE_BYTES = Integer.BYTES + 6 * Long.BYTES + 1;
    private static final int FIRST = 1;
    private static final int LAST = 2;

    private Frames() {}

    /**
     * Whose KVs a journal holds.
     *
     * @param importId names the import for the nodes
     * @param tableId of the table that its keys belong to
     */
    record Owner(UUID importId, long tableId) {}

    static void putHead(ByteBuffer target, Owner owner, long number) {
        target.putInt(MAGIC)
                .putLong(owner.importId().getMostSignificantBits())
                .putLong(owner.importId().getLeastSignificantBits())
                .putLong(owner.tableId())
                .putLong(number);
    }

    /** Whether a head says that the file is the owner's. */
    static boolean isOf(Owner owner, ByteBuffer head) {
        return head.remaining() >= HEAD_BYTES
                && head.getInt() == MAGIC
                && head.getLong() == owner.importId().getMostSignificantBits()
                && head.getLong() == owner.importId().getLeastSignificantBits()
                && head.getLong() == owner.tableId();
    }

    /** Writes the head of a frame whose bytes stand behind it already. */
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

    static void putPiece(ByteBuffer target, int input, ReadSpan span, long rows) {
        target.putInt(input)
                .putLong(span.start())
                .putLong(span.end())
                .putLong(span.lines())
                .putLong(span.records())
                .putLong(span.counted())
                .putLong(rows)
                .put((byte) ((span.first() ? FIRST : 0) | (span.last() ? LAST : 0)));
    }

    static JournaledChunk getPiece(ByteBuffer source, byte[][] entries) {
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

    static int pieceBytes() {
        return PIECE_BYTES;
    }
}
