package io.sluice.cli.remote;

import io.sluice.cli.jobs.client.ServiceAddress;
import io.sluice.cli.node.TokenSource;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What is shown to nodes or a service on a network, and how they are known. */
public final class AccessOptions {
    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "Holds the token to show. Default: the environment's SLUICE_TOKEN.")
    @Nullable
    Path tokenFile;

    @Option(
            names = "--tls-trust",
            paramLabel = "FILE",
            description = "Certificates to trust, in PEM. Default: those of the system.")
    @Nullable
    Path trusted;

    /** The token, or null. */
    @Nullable
    String token() {
        return TokenSource.text(tokenFile, System.getenv(TokenSource.VARIABLE));
    }

    /** How to speak to an import service at an address. */
    public ServiceAddress service(String address) {
        return ServiceAddress.of(address, token(), trusted);
    }
}
