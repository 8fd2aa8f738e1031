package io.sluice.engine.lsm.manifest;

import io.sluice.model.error.BadInputException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Reads the records of a file in RocksDB's log framing. The file is a sequence of 32 KiB blocks; a record is one
 * fragment, or several over consecutive blocks. A fragment is
 *
 * <pre>
 *   checksum  4 bytes  CRC-32C of what follows the length, rotated and shifted so that a CRC of CRCs stays useful
 *   length    2 bytes  of the payload; numbers are little-endian
 *   type      1 byte   full, first, middle, last, or one of these of a recycled file
 *   log number 4 bytes only in a recycled file
 *   payload
 * </pre>
 *
 * <p>If the file ends in the middle of a record, its writer was interrupted. That tail is not damage; {@link #tornAt}
 * returns its offset. Any other violation is an error that names the offset.
 */
final class RecordLog implements AutoCloseable {
    static final int BLOCK_BYTES = 32 << 10;

    private static final int HEADER_BYTES = 7;
    private static final int RECYCLABLE_HEADER_BYTES = 11;
    private static final int TYPE_AT = 6;
    private static final int CRC_MASK_DELTA = 0xa282ead8;

    private static final int ZERO = 0;
    private static final int FULL = 1;
    private static final int FIRST = 2;
    private static final int MIDDLE = 3;
    private static final int LAST = 4;
    /** The types 5 to 8 are the types 1 to 4 in a recycled file. */
    private static final int RECYCLABLE_FULL = 5;

    private static final int RECYCLABLE_LAST = 8;

    private final Path file;
    private final InputStream in;
    private final long fileBytes;
    private final byte[] block = new byte[BLOCK_BYTES];
    private final CRC32C crc = new CRC32C();
    private long blockOffset;
    private int limit;
    private int position;
    private long recordOffset;
    private long tornAt = -1;

    RecordLog(Path file) throws IOException {
        this.file = file;
        this.fileBytes = Files.size(file);
        this.in = Files.newInputStream(file);
    }

    /**
     * The next record, or null after the last complete one. The caller owns the array.
     *
     * @throws BadInputException when the file is damaged
     */
    byte @Nullable [] next() throws IOException {
        ByteArrayOutputStream record = null;
        while (tornAt < 0) {
            if (limit - position < HEADER_BYTES) {
                if (!nextBlock()) {
                    return end(record != null);
                }
                continue;
            }
            int type = block[position + TYPE_AT] & 0xff;
            int length = uint16(position + 4);
            if (type == ZERO && length == 0) {
                // Preallocated space that was never written.
                position = limit;
                continue;
            }
            long offset = blockOffset + position;
            if (record == null) {
                recordOffset = offset;
            }
            boolean recycled = type >= RECYCLABLE_FULL && type <= RECYCLABLE_LAST;
            if (!recycled && type > LAST) {
                throw damaged(offset, "has the unknown type " + type);
            }
            int header = recycled ? RECYCLABLE_HEADER_BYTES : HEADER_BYTES;
            int from = position + header;
            if (from + length > limit) {
                if (limit < BLOCK_BYTES || blockOffset + limit == fileBytes) {
                    return tear();
                }
                throw damaged(offset, "is longer than its block");
            }
            if (!checksumFits(from + length)) {
                if (blockOffset + from + length >= fileBytes) {
                    return tear();
                }
                throw damaged(offset, "does not have the checksum it says it has");
            }
            position = from + length;
            switch (recycled ? type - RECYCLABLE_FULL + FULL : type) {
                case FULL -> {
                    if (record != null) {
                        throw damaged(offset, "begins in the middle of another");
                    }
                    return Arrays.copyOfRange(block, from, from + length);
                }
                case FIRST -> {
                    if (record != null) {
                        throw damaged(offset, "begins in the middle of another");
                    }
                    record = new ByteArrayOutputStream(2 * BLOCK_BYTES);
                    record.write(block, from, length);
                }
                case MIDDLE, LAST -> {
                    if (record == null) {
                        throw damaged(offset, "is the rest of one that never began");
                    }
                    record.write(block, from, length);
                    if (type == LAST || type == RECYCLABLE_LAST) {
                        return record.toByteArray();
                    }
                }
                default -> throw new AssertionError(type);
            }
        }
        return null;
    }

    /** The offset of the record that {@link #next} returned. */
    long recordOffset() {
        return recordOffset;
    }

    /** The offset of a truncated record at the end of the file, after {@link #next} has returned null; or -1. */
    long tornAt() {
        return tornAt;
    }

    private boolean nextBlock() throws IOException {
        int left = limit - position;
        boolean whole = limit == BLOCK_BYTES || limit == 0;
        if (!whole && left > 0) {
            recordOffset = blockOffset + position;
            tornAt = recordOffset;
            return false;
        }
        blockOffset += limit;
        position = 0;
        limit = in.readNBytes(block, 0, BLOCK_BYTES);
        return limit > 0;
    }

    private byte @Nullable [] end(boolean insideRecord) {
        if (insideRecord) {
            tornAt = recordOffset;
        }
        return null;
    }

    private byte @Nullable [] tear() {
        tornAt = recordOffset;
        return null;
    }

    private boolean checksumFits(int end) {
        crc.reset();
        crc.update(block, position + TYPE_AT, end - position - TYPE_AT);
        int actual = (int) crc.getValue();
        int masked = ((actual >>> 15) | (actual << 17)) + CRC_MASK_DELTA;
        int said = uint16(position) | uint16(position + 2) << 16;
        return masked == said;
    }

    private int uint16(int at) {
        return (block[at] & 0xff) | (block[at + 1] & 0xff) << 8;
    }

    private BadInputException damaged(long offset, String how) {
        return new BadInputException(
                file + " is damaged: the record at byte " + offset + " of " + fileBytes + " " + how);
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
