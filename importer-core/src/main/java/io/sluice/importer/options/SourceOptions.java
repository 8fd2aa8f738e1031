package io.sluice.importer.options;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.importer.source.Encoding;
import io.sluice.importer.source.SourceSettings;
import io.sluice.model.error.BadInputException;
import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.StandardCharsets;
import java.nio.charset.UnsupportedCharsetException;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options of the location and encoding of inputs; shared by the commands that read files. */
public final class SourceOptions {
    @Option(
            names = "--charset",
            paramLabel = "NAME",
            defaultValue = "UTF-8",
            description = "Charset of the text, such as ISO-8859-1 or UTF-16LE. Default: UTF-8.")
    String charset = "UTF-8";

    @Option(
            names = "--compression",
            paramLabel = "C",
            defaultValue = "auto",
            description =
                    "Compression: auto (default; by the first bytes), none, gzip, zstd, bzip2, xz, snappy or lz4.")
    String compression = "auto";

    @Mixin
    S3Options s3 = new S3Options();

    /**
     * Builds the settings from the options.
     *
     * @throws BadInputException if one is invalid
     */
    public SourceSettings settings() {
        return new SourceSettings(new Encoding(Encoding.Compression.of(compression), charset()), s3.settings());
    }

    private Charset charset() {
        try {
            return Charset.forName(charset);
        } catch (IllegalCharsetNameException | UnsupportedCharsetException e) {
            throw new BadInputException(
                    "--charset " + charset
                            + ": this JVM does not support it; try UTF-8, UTF-16, ISO-8859-1 or windows-1252",
                    e);
        }
    }

    /**
     * Adds the given options as members of an import service's {@code ImportSpec}; the service has the same defaults.
     */
    public void put(ObjectNode spec) {
        if (!compression.equals("auto")) {
            spec.put("compression", compression);
        }
        if (!charset.equals(StandardCharsets.UTF_8.name())) {
            spec.put("charset", charset);
        }
        s3.put(spec);
    }
}
