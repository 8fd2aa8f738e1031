package io.sluice.importer.decode.avro;

import com.github.luben.zstd.RecyclingBufferPool;
import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import io.sluice.importer.source.ColumnBlocks;
import io.sluice.importer.source.OcfFraming;
import io.sluice.importer.source.OcfHeader;
import io.sluice.model.error.BadInputException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorInputStream;
import org.tukaani.xz.XZInputStream;
import org.xerial.snappy.Snappy;

/**
 * Decompresses blocks into one buffer that grows to the largest of them, and never beyond
 * {@link OcfFraming#MAX_BLOCK_BYTES}: a block that claims or turns out to be longer is malformed. One per decoder.
 */
final class BlockReader {
    private static final int MAX_BYTES = OcfFraming.MAX_BLOCK_BYTES;
    private static final int FIRST_BYTES = 64 << 10;

    /** XZ's dictionaries: those of its preset 9 take 65 MiB to decompress. */
    private static final int XZ_MEMORY_KIB = 80 << 10;

    /** Lives as long as its decoder; the JDK's cleaner frees it. */
    private final Inflater inflater = new Inflater(true);

    private byte[] out = new byte[0];
    private int length;

    /** The block last read: the first {@link #length} bytes, valid until the next one is read. */
    byte[] buffer() {
        return out;
    }

    int length() {
        return length;
    }

    /**
     * Decompresses a range of bytes.
     *
     * @throws MalformedDatum when they are not what the codec writes, or too long
     */
    void read(Codec codec, byte[] block, int from, int to) throws MalformedDatum {
        length = 0;
        try {
            switch (codec) {
                case NULL, COLUMNS -> throw new IllegalArgumentException("what is not compressed is read where it is");
                case DEFLATE -> inflate(block, from, to);
                case SNAPPY -> snappy(block, from, to);
                case BZIP2 -> drain(new BZip2CompressorInputStream(stream(block, from, to), true));
                case XZ -> drain(new XZInputStream(stream(block, from, to), XZ_MEMORY_KIB));
                case ZSTANDARD ->
                    drain(new ZstdInputStreamNoFinalizer(stream(block, from, to), RecyclingBufferPool.INSTANCE));
            }
        } catch (IOException | DataFormatException | RuntimeException e) {
            // Decompressors meet damaged data with unchecked exceptions too, such as an index out of bounds.
            throw new MalformedDatum("its " + codec.label() + " data is damaged ("
                    + (e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage()) + ")");
        }
    }

    private static InputStream stream(byte[] block, int from, int to) {
        return new ByteArrayInputStream(block, from, to - from);
    }

    private void inflate(byte[] block, int from, int to) throws DataFormatException, MalformedDatum {
        inflater.reset();
        inflater.setInput(block, from, to - from);
        while (!inflater.finished()) {
            grow();
            int read = inflater.inflate(out, length, out.length - length);
            if (read == 0 && !inflater.finished()) {
                throw new MalformedDatum("its deflate data is cut off");
            }
            length += read;
        }
    }

    /** Snappy's data, and the CRC of what it decompresses to, most significant byte first. */
    private void snappy(byte[] block, int from, int to) throws IOException, MalformedDatum {
        int compressed = to - from - Integer.BYTES;
        if (compressed < 0) {
            throw new MalformedDatum("its snappy data is cut off");
        }
        int size = Snappy.uncompressedLength(block, from, compressed);
        if (size < 0 || size > MAX_BYTES) {
            throw tooLong();
        }
        if (out.length < size) {
            out = new byte[size];
        }
        length = Snappy.uncompress(block, from, compressed, out, 0);
        CRC32 crc = new CRC32();
        crc.update(out, 0, length);
        if ((int) crc.getValue()
                != ByteBuffer.wrap(block, from + compressed, Integer.BYTES).getInt()) {
            throw new MalformedDatum("its snappy data does not match its checksum");
        }
    }

    private void drain(InputStream in) throws IOException, MalformedDatum {
        try (in) {
            while (true) {
                grow();
                int read = in.read(out, length, out.length - length);
                if (read < 0) {
                    return;
                }
                length += read;
            }
        }
    }

    /** Makes room for at least one byte. */
    private void grow() throws MalformedDatum {
        if (length < out.length) {
            return;
        }
        if (length >= MAX_BYTES) {
            throw tooLong();
        }
        out = Arrays.copyOf(out, Math.min(MAX_BYTES, Math.max(FIRST_BYTES, 2 * length)));
    }

    private static MalformedDatum tooLong() {
        return new MalformedDatum("it decompresses to more than " + MAX_BYTES + " bytes, the limit for one block");
    }

    /** Compression codecs of blocks: all codecs of the specification. */
    enum Codec {
        NULL,
        DEFLATE,
        SNAPPY,
        BZIP2,
        XZ,
        ZSTANDARD,
        /** Not compressed, and by column: {@link ColumnBlocks}. */
        COLUMNS;

        private static final String KEY = "avro.codec";

        /**
         * The codec that a file names; without a name blocks are not compressed.
         *
         * @throws BadInputException when it is none of the specification's
         */
        static Codec of(OcfHeader header, String fileName) {
            byte[] named = header.metadata().get(KEY);
            if (named == null) {
                return NULL;
            }
            String name = new String(named, StandardCharsets.UTF_8);
            for (Codec codec : values()) {
                if (codec.label().equals(name)) {
                    return codec;
                }
            }
            throw new BadInputException(fileName + ": unknown Avro codec '" + name
                    + "'; known are null, deflate, snappy, bzip2, xz and zstandard. Write the file with one of these");
        }

        /** Its name in files. */
        String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
