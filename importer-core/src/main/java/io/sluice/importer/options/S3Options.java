package io.sluice.importer.options;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.importer.source.remote.S3Settings;
import io.sluice.model.error.BadInputException;
import java.net.URI;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of the object store of {@code s3://} addresses. */
public final class S3Options {
    @Option(names = "--s3-endpoint", paramLabel = "URL", description = "Object store of s3:// URLs. Default: AWS.")
    @Nullable
    URI endpoint;

    @Option(names = "--s3-region", paramLabel = "R", description = "Region of the object store.")
    @Nullable
    String region;

    @Option(names = "--s3-path-style", description = "Put the bucket into the path, not into the host name.")
    boolean pathStyle;

    /**
     * Builds the settings from the options.
     *
     * @throws BadInputException if one is invalid
     */
    public S3Settings settings() {
        if (endpoint != null && (endpoint.getHost() == null || endpoint.getUserInfo() != null)) {
            throw new BadInputException(
                    "--s3-endpoint: give an address of the form https://HOST:PORT, without credentials");
        }
        return new S3Settings(endpoint, region, pathStyle);
    }

    /** Adds the given options as members of an import service's {@code ImportSpec}. */
    public void put(ObjectNode spec) {
        if (endpoint == null && region == null && !pathStyle) {
            return;
        }
        ObjectNode s3 = spec.putObject("s3");
        if (endpoint != null) {
            s3.put("endpoint", endpoint.toString());
        }
        if (region != null) {
            s3.put("region", region);
        }
        s3.put("pathStyle", pathStyle);
    }
}
