package io.sluice.importer.sort;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** A run in a file that {@link SpillWriter} wrote; closing it deletes the file. */
final class SpilledRun implements Run {
    /** First key of a block and the block's position in the file. */
    @SuppressWarnings("ArrayRecordComponent")
    record IndexKey(byte[] key, long position) {}

    private final Path path;
    private final int blockBytes;
    private final long bytes;
    private final List<IndexKey> index;
    private final byte[] largestKey;

    SpilledRun(Path path, int blockBytes, long bytes, List<IndexKey> index, byte[] largestKey) {
        this.path = path;
        this.blockBytes = blockBytes;
        this.bytes = bytes;
        this.index = List.copyOf(index);
        this.largestKey = largestKey;
    }

    @Override
    public long bytes() {
        return bytes;
    }

    @Override
    public byte[] smallestKey() {
        return index.get(0).key();
    }

    @Override
    public byte[] largestKey() {
        return largestKey;
    }

    @Override
    public void sample(KeySample sample) {
        for (int i = 1; i < index.size(); i++) {
            sample.key(
                    index.get(i).key(),
                    index.get(i).position() - index.get(i - 1).position());
        }
        sample.key(largestKey, bytes - index.get(index.size() - 1).position());
    }

    @Override
    public RunCursor cursor(byte @Nullable [] from, byte @Nullable [] to) throws IOException {
        return new Cursor(from, to);
    }

    /** Position of the last indexed block that starts below {@code from}. */
    private long seek(byte[] from) {
        int low = 0;
        int high = index.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (Arrays.compareUnsigned(index.get(middle).key(), from) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low == 0 ? 0 : index.get(low - 1).position();
    }

    @Override
    public void close() throws IOException {
        Files.deleteIfExists(path);
    }

    private final class Cursor extends RunCursor {
        private final FileChannel channel;
        private final byte @Nullable [] from;
        private final byte @Nullable [] to;
        private final CRC32C crc = new CRC32C();
        private final byte[] header = new byte[SpillWriter.BLOCK_HEADER_BYTES];
        private byte[] block = new byte[blockBytes];
        private int blockEnd;
        private int next;
        private long position;
        private boolean started;

        Cursor(byte @Nullable [] from, byte @Nullable [] to) throws IOException {
            this.from = from;
            this.to = to;
            position = from == null ? 0 : seek(from);
            channel = FileChannel.open(path, StandardOpenOption.READ);
        }

        @Override
        public boolean advance() throws IOException {
            while (true) {
                if (next == blockEnd && !readBlock()) {
                    return false;
                }
                int key = SortBuffer.keyOffset(block, next);
                int keyLength = SortBuffer.keyLength(block, next);
                int valueLength = SortBuffer.valueLength(block, next);
                next = key + keyLength + valueLength;
                set(block, key, keyLength, valueLength);
                if (started || from == null || !isBelow(from)) {
                    started = true;
                    return isBelow(to);
                }
            }
        }

        private boolean readBlock() throws IOException {
            if (position >= bytes) {
                return false;
            }
            read(header, header.length);
            ByteBuffer head = ByteBuffer.wrap(header);
            int length = head.getInt(0);
            if (length <= 0 || length > bytes - position) {
                throw new IOException(path + ": a block of " + length + " bytes is impossible; the file was damaged");
            }
            if (length > block.length) {
                block = new byte[length];
            }
            read(block, length);
            crc.reset();
            crc.update(block, 0, length);
            if ((int) crc.getValue() != head.getInt(4)) {
                throw new IOException(path + ": checksum mismatch before byte " + position + "; the file was damaged");
            }
            next = 0;
            blockEnd = length;
            return true;
        }

        private void read(byte[] target, int length) throws IOException {
            ByteBuffer bytesLeft = ByteBuffer.wrap(target, 0, length);
            while (bytesLeft.hasRemaining()) {
                int read = channel.read(bytesLeft, position);
                if (read < 0) {
                    throw new EOFException(path + " ends at byte " + position + "; the file was truncated");
                }
                position += read;
            }
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
