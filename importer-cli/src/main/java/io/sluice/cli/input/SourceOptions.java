package io.sluice.cli.input;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.importer.source.Encoding;
import io.sluice.importer.source.SourceSettings;
import io.sluice.importer.source.remote.S3Settings;
import io.sluice.model.error.BadInputException;
import java.net.URI;
import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.StandardCharsets;
import java.nio.charset.UnsupportedCharsetException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of the location and encoding of inputs; shared by {@code import} and {@code encode}. */
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

    @Option(names = "--s3-endpoint", paramLabel = "URL", description = "Object store of s3:// URLs. Default: AWS.")
    @Nullable
    URI s3Endpoint;

    @Option(names = "--s3-region", paramLabel = "R", description = "Region of the object store.")
    @Nullable
    String s3Region;

    @Option(names = "--s3-path-style", description = "Put the bucket into the path, not into the host name.")
    boolean s3PathStyle;

    /**
     * Builds the settings from the options.
     *
     * @throws BadInputException if one is invalid
     */
    public SourceSettings settings() {
        if (s3Endpoint != null && (s3Endpoint.getHost() == null || s3Endpoint.getUserInfo() != null)) {
            throw new BadInputException(
                    "--s3-endpoint: give an address of the form https://HOST:PORT, without credentials");
        }
        return new SourceSettings(
                new Encoding(Encoding.Compression.of(compression), charset()),
                new S3Settings(s3Endpoint, s3Region, s3PathStyle));
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
        if (s3Endpoint == null && s3Region == null && !s3PathStyle) {
            return;
        }
        ObjectNode s3 = spec.putObject("s3");
        if (s3Endpoint != null) {
            s3.put("endpoint", s3Endpoint.toString());
        }
        if (s3Region != null) {
            s3.put("region", s3Region);
        }
        s3.put("pathStyle", s3PathStyle);
    }
}
