package io.sluice.importer.source;

import io.sluice.api.error.BadInputException;
import io.sluice.importer.source.codec.Codec;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How text became the bytes that are stored.
 *
 * @param compression whether and how they are compressed
 * @param charset the charset of the text; with UTF-8, a byte order mark of UTF-16 is recognised all the same
 */
public record Encoding(Compression compression, Charset charset) {
    /** Compression as the file shows it, UTF-8. */
    public static final Encoding DEFAULT = new Encoding(new Compression(true, null), StandardCharsets.UTF_8);

    /**
     * Whether and how a file is compressed.
     *
     * @param byLooks whether its first bytes decide
     * @param codec if they do not: the codec, or null for none
     */
    public record Compression(boolean byLooks, @Nullable Codec codec) {
        /**
         * The compression that a word stands for: auto, none, or a codec.
         *
         * @throws BadInputException when it stands for none
         */
        public static Compression of(String word) {
            String lower = word.toLowerCase(Locale.ROOT);
            if (lower.equals("auto")) {
                return new Compression(true, null);
            }
            if (lower.equals("none")) {
                return new Compression(false, null);
            }
            for (Codec codec : Codec.values()) {
                if (codec.label().equals(lower)) {
                    return new Compression(false, codec);
                }
            }
            throw new BadInputException("--compression " + word + ": choose auto, none, "
                    + Arrays.stream(Codec.values()).map(Codec::label).collect(Collectors.joining(", ")));
        }
    }

    /**
     * The codec of a file, or null for none.
     *
     * @throws BadInputException when its name promises what its first bytes do not keep
     */
    @Nullable
    Codec codec(String name, byte[] head, int length) {
        if (!compression.byLooks) {
            return compression.codec;
        }
        Codec shown = Codec.ofMagic(head, length);
        Codec promised = Codec.ofName(name);
        if (shown == null && promised != null) {
            throw new BadInputException(name + ": named as a " + promised.label() + " file, but "
                    + (length == 0 ? "it is empty" : "it does not begin as one")
                    + "; get the file anew, or say --compression none if it is plain text");
        }
        return shown;
    }

    /** Whether a file of this name is expected to take more than copying. */
    boolean looksCostly(String name) {
        return !charset.equals(StandardCharsets.UTF_8)
                || (compression.byLooks ? Codec.ofName(name) : compression.codec) != null;
    }
}
