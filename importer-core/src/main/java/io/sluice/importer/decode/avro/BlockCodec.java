package io.sluice.importer.decode.avro;

import io.sluice.importer.source.OcfHeader;
import io.sluice.model.error.BadInputException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Compression codecs of blocks: all codecs of the specification. */
enum BlockCodec {
    NULL,
    DEFLATE,
    SNAPPY,
    BZIP2,
    XZ,
    ZSTANDARD;

    private static final String KEY = "avro.codec";

    /**
     * The codec that a file names; without a name blocks are not compressed.
     *
     * @throws BadInputException when it is none of the specification's
     */
    static BlockCodec of(OcfHeader header, String fileName) {
        byte[] named = header.metadata().get(KEY);
        if (named == null) {
            return NULL;
        }
        String name = new String(named, StandardCharsets.UTF_8);
        for (BlockCodec codec : values()) {
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
