package io.sluice.cli.remote;

import io.sluice.cli.jobs.client.ServiceAddress;
import io.sluice.cli.node.TokenSource;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Token and trusted certificates for connections to nodes or a service. */
public final class AccessOptions {
    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "File with the token to send. Default: the environment variable SLUICE_TOKEN.")
    @Nullable
    Path tokenFile;

    @Option(
            names = "--tls-trust",
            paramLabel = "FILE",
            description = "PEM file of certificates to trust. Default: the system's.")
    @Nullable
    Path trusted;

    /** The token, or null. */
    @Nullable
    String token() {
        return TokenSource.text(tokenFile, System.getenv(TokenSource.VARIABLE));
    }

    /** Returns an import service's address with the token and certificates. */
    public ServiceAddress service(String address) {
        return ServiceAddress.of(address, token(), trusted);
    }
}
