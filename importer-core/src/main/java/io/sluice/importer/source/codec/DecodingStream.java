package io.sluice.importer.source.codec;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;
import io.sluice.model.error.SluiceException;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.tukaani.xz.MemoryLimitException;

/** Decompresses a stream. Errors of the decompressor get the position in the stored bytes. */
public final class DecodingStream extends BlockStream {
    private static final int BUFFER_BYTES = 64 << 10;

    private final Codec codec;
    private final CountingStream counted;
    private final InputStream stored;
    private @Nullable InputStream decoded;

    /**
     * Creates a stream at the start of the first member.
     *
     * @param counted counts the stored bytes, for positions in messages
     * @param stored the compressed bytes; closed with this stream
     */
    public DecodingStream(Codec codec, CountingStream counted, InputStream stored) {
        this.codec = codec;
        this.counted = counted;
        this.stored = new BufferedInputStream(stored, BUFFER_BYTES);
    }

    private interface Work {
        int run() throws IOException;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
        return guarded(() -> opened().read(buffer, offset, length));
    }

    private InputStream opened() throws IOException {
        if (decoded == null) {
            decoded = codec.decode(stored);
        }
        return decoded;
    }

    private int guarded(Work work) throws IOException {
        try {
            return work.run();
        } catch (SluiceException e) {
            throw e;
        } catch (IOException | RuntimeException e) {
            if (counted.failure() != null) {
                throw counted.failure();
            }
            if (isTooLarge(e)) {
                throw new CorruptInputException(
                        "the " + codec.label() + " data at or before byte " + counted.count()
                                + " of the compressed file takes more memory to decompress than an import has for it ("
                                + reason(e)
                                + "); decompress it first, or compress it again with 'zstd --long=27' or 'xz -9' at most;"
                                + " if that fails, it is damaged",
                        e);
            }
            throw new CorruptInputException(
                    "the " + codec.label() + " data is " + (isCutOff(e) ? "cut off" : "damaged") + " at or before byte "
                            + counted.count() + " of the compressed file (" + reason(e)
                            + "); get the file anew, or repair it",
                    e);
        }
    }

    /** Whether the data is truncated. Used only for the wording, since some decompressors do not tell. */
    private boolean isCutOff(Exception e) {
        return e instanceof EOFException;
    }

    /**
     * Whether the data may be whole, and its window or dictionary is larger than those that {@link Codec} takes. The
     * streams of zstd's library negate its error codes.
     */
    private static boolean isTooLarge(Exception e) {
        return e instanceof MemoryLimitException
                || (e instanceof ZstdException zstd
                        && Math.abs(zstd.getErrorCode()) == Zstd.errFrameParameterWindowTooLarge());
    }

    private static String reason(Exception e) {
        return Objects.requireNonNullElse(e.getMessage(), e.getClass().getSimpleName());
    }

    @Override
    public void close() throws IOException {
        (decoded == null ? stored : decoded).close();
    }
}
