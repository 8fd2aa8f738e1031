package io.sluice.importer.source;

import io.sluice.importer.source.codec.Codec;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import java.io.IOException;
import java.io.Serializable;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Compression and charset of an input.
 *
 * @param compression whether and how the input is compressed
 * @param charset the charset of the text; with UTF-8, UTF-16 is recognised by its byte order mark or by eight ASCII
 *     characters at its start, too
 */
public record Encoding(Compression compression, Charset charset) {
    /** The words of {@link #found} for a Parquet file. */
    public static final String PARQUET = "converted from Parquet";

    /** Compression detected from the first bytes; UTF-8. */
    public static final Encoding DEFAULT = new Encoding(new Compression(true, null), StandardCharsets.UTF_8);

    /**
     * Whether and how a file is compressed.
     *
     * @param byLooks whether the first bytes decide
     * @param codec the codec if they do not decide; null: not compressed
     */
    public record Compression(boolean byLooks, @Nullable Codec codec) implements Serializable {
        private static final long serialVersionUID = 1L;

        /**
         * Parses a compression: auto, none, or the name of a codec.
         *
         * @throws BadInputException for any other word
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
     * The compression and charset that an input is read with, in words. Opens the input.
     *
     * @throws BadInputException when the name's suffix and the first bytes contradict each other
     */
    public static String found(InputFile input, boolean isText) {
        try (ByteSource source = ByteSource.open(input, isText, 0)) {
            return source.found();
        } catch (IOException e) {
            throw new OperationFailedException(input.name() + ": cannot be read: " + e.getMessage(), e);
        }
    }

    /**
     * The codec of a file, or null for none.
     *
     * @throws BadInputException when the name's suffix and the first bytes contradict each other
     */
    @Nullable
    Codec codec(String name, byte[] head, int length) {
        if (!compression.byLooks) {
            return compression.codec;
        }
        Codec shown = Codec.ofMagic(name, head, length);
        Codec promised = Codec.ofName(name);
        if (shown == null && promised != null) {
            throw new BadInputException(name + ": named as a " + promised.label() + " file, but "
                    + (length == 0 ? "it is empty" : "it does not begin as one")
                    + "; get the file anew, or say --compression none if it is plain text");
        }
        return shown;
    }

    /** Whether reading a file of this name likely takes more than copying. */
    boolean isCostly(String name) {
        return !charset.equals(StandardCharsets.UTF_8)
                || name.endsWith(".parquet")
                || (compression.byLooks ? Codec.ofName(name) : compression.codec) != null;
    }
}
