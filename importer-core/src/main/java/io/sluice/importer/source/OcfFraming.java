package io.sluice.importer.source;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Where the blocks of an Avro object container file end: each is the number of its records, the number of its bytes,
 * those, and the file's sync marker. A block of which that is not true ends behind the next marker, wherever that is;
 * decoders ask here too, so that a bad block never changes where the next one begins.
 *
 * <p>A "record" of this framing is a block, or the file's header while the marker is not known.
 *
 * @param sync the file's marker, or null before its header was read
 */
@SuppressWarnings("ArrayRecordComponent")
public record OcfFraming(byte @Nullable [] sync) implements Framing {
    /** Framing of files whose headers were not read yet. */
    public static final OcfFraming UNKNOWN = new OcfFraming(null);

    /**
     * Longest block, in the file and decompressed: 32 MiB. Writers cut blocks at 16 KiB to a few MiB; a longer one is a
     * size that was damaged, or made to fill the memory.
     */
    public static final int MAX_BLOCK_BYTES = 32 << 20;

    /** A block's two numbers and its marker. */
    private static final int MAX_FRAME_BYTES = 10 + 10 + OcfHeader.SYNC_BYTES;

    /** Longest record for the source: a block with its frame. */
    public static final int MAX_RECORD_BYTES = MAX_BLOCK_BYTES + MAX_FRAME_BYTES;

    /**
     * What a block says of itself.
     *
     * @param records how many records it holds, 0 to {@link #MAX_BLOCK_BYTES}: every record has a byte
     * @param dataFrom where its data begins
     * @param dataTo where its data ends and the marker begins; may be behind what is there
     */
    public record Block(int records, int dataFrom, int dataTo) {}

    @Override
    public int lastRecordEnd(byte[] buffer, int from, int to, boolean last) {
        if (sync == null) {
            int header = firstRecordEnd(buffer, from, to, last);
            if (header < 0) {
                return from;
            }
            return header == to ? to : behind(buffer, header).lastRecordEnd(buffer, header, to, last);
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
            // What is no header is taken whole, for whoever reads it to say so.
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

    /** What the block at {@code from} says of itself; null when that cannot be true. */
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

    /** Whether the file's marker stands where the block says that it ends. */
    public boolean endsWell(byte[] buffer, Block block, int to) {
        int end = block.dataTo + OcfHeader.SYNC_BYTES;
        return sync != null && end <= to && Arrays.equals(buffer, block.dataTo, end, sync, 0, sync.length);
    }

    /** How many records a range of blocks holds, as far as they say so; one where that cannot be true. */
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
    public Framing behindHeader(byte[] header, String fileName) {
        return new OcfFraming(OcfHeader.of(header, fileName).sync());
    }

    private static OcfFraming behind(byte[] buffer, int headerEnd) {
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
