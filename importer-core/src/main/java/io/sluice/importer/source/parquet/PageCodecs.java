package io.sluice.importer.source.parquet;

import com.github.luben.zstd.Zstd;
import io.sluice.model.error.BadInputException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Locale;
import java.util.zip.GZIPInputStream;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.bytes.HeapByteBufferAllocator;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.brotli.dec.BrotliInputStream;
import org.xerial.snappy.Snappy;

/** Decompresses pages with the libraries that decompress whole inputs, in place of Hadoop's codecs. */
final class PageCodecs {
    private static final int LZ4_LENGTHS_BYTES = 8;

    private PageCodecs() {}

    /** The bytes where they are, or a copy if that is outside the heap. */
    static ByteBuffer onHeap(BytesInput bytes) {
        return bytes.toByteBuffer(HeapByteBufferAllocator.getInstance(), copy -> {});
    }

    /** @throws BadInputException when pages of this codec cannot be decompressed */
    static void requireKnown(CompressionCodecName codec) {
        switch (codec) {
            case UNCOMPRESSED, SNAPPY, GZIP, BROTLI, ZSTD, LZ4, LZ4_RAW -> {}
            default ->
                throw new BadInputException(
                        "its pages are compressed with " + codec.name().toLowerCase(Locale.ROOT)
                                + ", which is not supported; write it with zstd, snappy, gzip or lz4");
        }
    }

    /**
     * Decompresses a page.
     *
     * @param plain receives the page at its start; at least as long
     * @param bytes of the page when decompressed, not negative
     * @throws IOException when they are not what the codec writes, or another number
     */
    static void decompress(
            CompressionCodecName codec, byte[] stored, int from, int storedBytes, byte[] plain, int bytes)
            throws IOException {
        int length =
                switch (codec) {
                    case SNAPPY -> {
                        // The library writes whatever the page says, also beyond the array.
                        if (Snappy.uncompressedLength(stored, from, storedBytes) != bytes) {
                            throw new IOException("a page has another length than its header says");
                        }
                        yield Snappy.uncompress(stored, from, storedBytes, plain, 0);
                    }
                    case ZSTD -> (int) Zstd.decompressByteArray(plain, 0, bytes, stored, from, storedBytes);
                    case GZIP, BROTLI -> {
                        InputStream in = new ByteArrayInputStream(stored, from, storedBytes);
                        yield drain(
                                codec == CompressionCodecName.GZIP
                                        ? new GZIPInputStream(in)
                                        : new BrotliInputStream(in),
                                plain,
                                bytes);
                    }
                    case LZ4 -> lz4Frames(Arrays.copyOfRange(stored, from, from + storedBytes), plain, bytes);
                    default -> lz4(stored, from, storedBytes, plain, 0, bytes);
                };
        if (length != bytes) {
            throw new IOException("a page has " + length + " bytes where its header says " + bytes);
        }
    }

    /** Reads on to the end, where GZIP has a checksum; returns a larger number if there is more than fits. */
    private static int drain(InputStream from, byte[] plain, int bytes) throws IOException {
        try (from) {
            int length = from.readNBytes(plain, 0, bytes);
            return from.read() < 0 ? length : length + 1;
        }
    }

    private static int lz4(byte[] stored, int from, int length, byte[] plain, int to, int bytes) throws IOException {
        try {
            return LZ4Factory.fastestInstance()
                    .safeDecompressor()
                    .decompress(stored, from, length, plain, to, bytes - to);
        } catch (LZ4Exception e) {
            throw new IOException("a page is not LZ4 data", e);
        }
    }

    /** Hadoop's form: blocks with two lengths in front, plain and compressed. Some writers left these out. */
    private static int lz4Frames(byte[] stored, byte[] plain, int bytes) throws IOException {
        ByteBuffer lengths = ByteBuffer.wrap(stored);
        int at = 0;
        int done = 0;
        while (stored.length - at >= LZ4_LENGTHS_BYTES) {
            int expected = lengths.getInt(at);
            int compressed = lengths.getInt(at + Integer.BYTES);
            boolean frame = expected >= 0
                    && expected <= bytes - done
                    && compressed >= 0
                    && compressed <= stored.length - at - LZ4_LENGTHS_BYTES;
            if (!frame) {
                break;
            }
            byte[] block = Arrays.copyOfRange(stored, at + LZ4_LENGTHS_BYTES, at + LZ4_LENGTHS_BYTES + compressed);
            done += lz4(block, 0, compressed, plain, done, bytes);
            at += LZ4_LENGTHS_BYTES + compressed;
        }
        return at == stored.length ? done : lz4(stored, 0, stored.length, plain, 0, bytes);
    }
}
