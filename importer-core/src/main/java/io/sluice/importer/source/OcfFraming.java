package io.sluice.importer.source;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Finds the ends of blocks in an Avro object container file. A block is the number of its records, the number of its
 * bytes, those bytes, and the file's sync marker. A block that breaks this ends after the next marker. Decoders use
 * this class, too, so a bad block never changes where the next one starts.
 *
 * <p>A "record" of this framing is a block, or the file's header while the marker is not known.
 *
 * @param sync the file's sync marker; null before its header was read
 */
@SuppressWarnings("ArrayRecordComponent")
public record OcfFraming(byte @Nullable [] sync) implements Framing {
    /** The framing before the header was read. */
    public static final OcfFraming UNKNOWN = new OcfFraming(null);

    /**
     * Longest block, stored and decompressed: 32 MiB. Writers cut blocks at 16 KiB to a few MiB; a longer one has a
     * damaged size, or is an attack on the memory.
     */
    public static final int MAX_BLOCK_BYTES = 32 << 20;

    /** A block's two numbers and its marker. */
    private static final int MAX_FRAME_BYTES = 10 + 10 + OcfHeader.SYNC_BYTES;

    /** Longest record for the source: a block with its frame. */
    public static final int MAX_RECORD_BYTES = MAX_BLOCK_BYTES + MAX_FRAME_BYTES;

    /**
     * The header of a block.
     *
     * @param records number of records, 0 to {@link #MAX_BLOCK_BYTES}: every record has a byte
     * @param dataFrom start of the data
     * @param dataTo end of the data and start of the marker; may be after the end of the buffer
     */
    public record Block(int records, int dataFrom, int dataTo) {}

    @Override
    public int lastRecordEnd(byte[] buffer, int from, int to, boolean last) {
        if (sync == null) {
            int header = firstRecordEnd(buffer, from, to, last);
            if (header < 0) {
                return from;
            }
            return header == to ? to : after(buffer, header).lastRecordEnd(buffer, header, to, last);
        }
        int end = from;
        while (end < to) {
            int next = firstRecordEnd(buffer, end, to, last);
            if (next < 0) {
                break;
            }
            end = next;
        }
        return end;
    }

    @Override
    public int firstRecordEnd(byte[] buffer, int from, int to, boolean last) {
        if (sync == null) {
            int end = OcfHeader.end(buffer, from, to);
            // An invalid header is passed on whole; its reader reports it.
            return end >= 0 ? end : end == Varints.MALFORMED || last ? to : -1;
        }
        int sizeAt = Varints.end(buffer, from, to);
        int dataAt = sizeAt < 0 ? sizeAt : Varints.end(buffer, sizeAt, to);
        if (dataAt == Varints.INCOMPLETE) {
            return last ? to : -1;
        }
        Block block = block(buffer, from, to);
        if (block != null) {
            int end = block.dataTo + OcfHeader.SYNC_BYTES;
            if (end > to && !last) {
                return -1;
            }
            if (endsWell(buffer, block, to)) {
                return end;
            }
        }
        int marker = indexOf(buffer, from, to, sync);
        return marker >= 0 ? marker + OcfHeader.SYNC_BYTES : last ? to : -1;
    }

    /** The header of the block at {@code from}; null if its numbers are impossible. */
    public static @Nullable Block block(byte[] buffer, int from, int to) {
        int sizeAt = Varints.end(buffer, from, to);
        int dataAt = sizeAt < 0 ? sizeAt : Varints.end(buffer, sizeAt, to);
        if (dataAt < 0) {
            return null;
        }
        long records = Varints.value(buffer, from);
        long bytes = Varints.value(buffer, sizeAt);
        boolean possible = records >= 0 && records <= MAX_BLOCK_BYTES && bytes >= 0 && bytes <= MAX_BLOCK_BYTES;
        return possible ? new Block((int) records, dataAt, dataAt + (int) bytes) : null;
    }

    /** Whether the file's marker follows the block's data. */
    public boolean endsWell(byte[] buffer, Block block, int to) {
        int end = block.dataTo + OcfHeader.SYNC_BYTES;
        return sync != null && end <= to && Arrays.equals(buffer, block.dataTo, end, sync, 0, sync.length);
    }

    /** Number of records in a range of blocks by their headers; a block with an impossible header counts as one. */
    @Override
    public long records(byte[] buffer, int from, int to) {
        long records = 0;
        int at = from;
        while (at < to) {
            Block block = block(buffer, at, to);
            records += block == null ? 1 : block.records;
            at = firstRecordEnd(buffer, at, to, true);
        }
        return records;
    }

    @Override
    public Framing afterHeader(byte[] header, String fileName) {
        return new OcfFraming(OcfHeader.of(header, fileName).sync());
    }

    private static OcfFraming after(byte[] buffer, int headerEnd) {
        return new OcfFraming(Arrays.copyOfRange(buffer, headerEnd - OcfHeader.SYNC_BYTES, headerEnd));
    }

    @Override
    public boolean isText() {
        return false;
    }

    @Override
    public byte[] marker() {
        return sync == null ? new byte[0] : sync;
    }

    /** First position of a marker in a range, or -1. */
    static int indexOf(byte[] buffer, int from, int to, byte[] marker) {
        int lastStart = to - marker.length;
        int at = from;
        while (at <= lastStart) {
            at = Bytes.indexOf(buffer, at, lastStart + 1, marker[0]);
            if (at <= lastStart && Arrays.equals(buffer, at, at + marker.length, marker, 0, marker.length)) {
                return at;
            }
            at++;
        }
        return -1;
    }
}
