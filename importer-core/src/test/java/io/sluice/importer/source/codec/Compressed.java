package io.sluice.importer.source.codec;

import com.github.luben.zstd.Zstd;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.zip.GZIPOutputStream;
import net.jpountz.lz4.LZ4FrameOutputStream;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorOutputStream;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.XZOutputStream;
import org.xerial.snappy.SnappyFramedOutputStream;

/** Makes compressed bytes for tests, with the writers of the libraries that the formats come from. */
public final class Compressed {
    private Compressed() {}

    /** One member or frame. */
    public static byte[] by(Codec codec, byte[] plain) throws IOException {
        if (codec == Codec.ZSTD) {
            // The streaming writer would leave out the checksum.
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            try (var zstd = new com.github.luben.zstd.ZstdOutputStreamNoFinalizer(out)) {
                zstd.setChecksum(true);
                zstd.setLevel(Zstd.defaultCompressionLevel());
                zstd.write(plain);
            }
            return out.toByteArray();
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (OutputStream stream = writer(codec, out)) {
            stream.write(plain);
        }
        return out.toByteArray();
    }

    private static OutputStream writer(Codec codec, OutputStream out) throws IOException {
        return switch (codec) {
            case GZIP -> new GZIPOutputStream(out);
            case BZIP2 -> new BZip2CompressorOutputStream(out, 1);
            case XZ -> new XZOutputStream(out, new LZMA2Options(0));
            case SNAPPY -> new SnappyFramedOutputStream(out);
            case LZ4 ->
                new LZ4FrameOutputStream(
                        out,
                        LZ4FrameOutputStream.BLOCKSIZE.SIZE_64KB,
                        LZ4FrameOutputStream.FLG.Bits.BLOCK_INDEPENDENCE,
                        LZ4FrameOutputStream.FLG.Bits.CONTENT_CHECKSUM);
            case ZSTD -> throw new IllegalArgumentException("has a writer of its own");
        };
    }
}
