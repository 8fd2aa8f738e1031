package io.sluice.importer.source.codec;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;
import java.util.regex.Pattern;
import net.jpountz.lz4.LZ4FrameInputStream;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorInputStream;
import org.jspecify.annotations.Nullable;
import org.tukaani.xz.XZInputStream;
import org.xerial.snappy.SnappyFramedInputStream;

/**
 * A compression of input files. Files of several members or frames are read to their end, and checksums are verified.
 * Trailing bytes after the last member are an error, since they may be a damaged member; zero bytes after the last one
 * of gzip are padding.
 *
 * <p>The magic numbers are those of RFC 1952 (gzip), RFC 8878 (zstd), and the format descriptions of bzip2, xz, snappy
 * (framing format) and lz4 (frame format). None of them is plausible as the start of UTF-8 text.
 */
public enum Codec {
    GZIP(".gz .gzip .bgz", "1f8b08"),
    /** Refuses frames with a window above 128 MiB, as {@code zstd --long=28} and more make them. */
    ZSTD(".zst .zstd", "28b52ffd"),
    BZIP2(".bz2 .bzip2", "425a68"),
    XZ(".xz", "fd377a585a00"),
    /**
     * The framing format. It has no end mark: a file that is truncated between two chunks looks whole. Skippable chunks
     * are refused, see {@link SnappyChunks}.
     */
    SNAPPY(".sz .snappy", "ff060000734e61507059"),
    LZ4(".lz4", "04224d18");

    /** Number of first bytes that {@link #ofMagic} needs. */
    public static final int MAGIC_BYTES = 10;

    /** "BZh", a digit, and the magic of a block or of the end; "BZh" alone may begin text. */
    private static final Pattern BZIP2_START = Pattern.compile("425a68..(314159265359|177245385090).*");

    /** Start of the skippable frames of zstd and lz4, which may precede the data, as pzstd writes them. */
    private static final Pattern SKIPPABLE_START = Pattern.compile("5.2a4d18.*");

    /** Most memory of the xz decoder: 64 MiB for the dictionary of {@code xz -9}, and 16 MiB for the rest. */
    private static final int XZ_MEMORY_KIB = 80 << 10;

    private static final int SNAPPY_HEADER_BYTES = 10;

    private final String suffixes;
    private final String magicHex;

    Codec(String suffixes, String magicHex) {
        this.suffixes = suffixes;
        this.magicHex = magicHex;
    }

    /** The codec's name in options and messages. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The codec of a file name's suffix, or null. */
    public static @Nullable Codec ofName(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        for (Codec codec : values()) {
            if (Arrays.stream(codec.suffixes.split(" ", -1)).anyMatch(lower::endsWith)) {
                return codec;
            }
        }
        return null;
    }

    /**
     * The codec of a file's first bytes, or null. Skippable frames, which two formats have, begin one of lz4 if its
     * name says so, else one of zstd.
     */
    public static @Nullable Codec ofMagic(String name, byte[] head, int length) {
        String start = HexFormat.of().formatHex(head, 0, Math.min(MAGIC_BYTES, length));
        if (SKIPPABLE_START.matcher(start).matches()) {
            return ofName(name) == LZ4 ? LZ4 : ZSTD;
        }
        for (Codec codec : values()) {
            if (codec == BZIP2 ? BZIP2_START.matcher(start).matches() : start.startsWith(codec.magicHex)) {
                return codec;
            }
        }
        return null;
    }

    /** Decompresses a buffered stream that supports {@link InputStream#mark}. Closing the result closes it. */
    InputStream decode(InputStream stored) throws IOException {
        return switch (this) {
            case GZIP -> new GzipMembers(stored);
            case ZSTD -> new ZstdStream(stored);
            case BZIP2 -> new BZip2CompressorInputStream(stored, true);
            case XZ -> new XZInputStream(stored, XZ_MEMORY_KIB);
            case SNAPPY -> new SnappyFramedInputStream(new SnappyChunks(wholeSnappyHeader(stored)), true);
            case LZ4 -> new LZ4FrameInputStream(stored);
        };
    }

    private static InputStream wholeSnappyHeader(InputStream stored) throws IOException {
        stored.mark(SNAPPY_HEADER_BYTES);
        if (stored.readNBytes(SNAPPY_HEADER_BYTES).length < SNAPPY_HEADER_BYTES) {
            throw new EOFException("the stream identifier is cut off");
        }
        stored.reset();
        return stored;
    }
}
