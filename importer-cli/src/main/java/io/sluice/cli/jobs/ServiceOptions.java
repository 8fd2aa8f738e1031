package io.sluice.cli.jobs;

import io.sluice.cli.jobs.client.ServiceAddress;
import io.sluice.cli.jobs.client.ServiceClient;
import io.sluice.cli.node.TokenSource;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which import service to ask; options of every {@code jobs} command. */
@SuppressWarnings("NullAway.Init") // picocli sets what has a default
final class ServiceOptions {
    @Option(
            names = "--server",
            paramLabel = "URL",
            defaultValue = "${env:" + ServiceAddress.VARIABLE + ":-" + ServiceAddress.USUAL + "}",
            description = "Address of the service. Default: the environment's " + ServiceAddress.VARIABLE + ", or "
                    + ServiceAddress.USUAL + ".")
    String server;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "Holds the token to show to it. Default: the environment's SLUICE_TOKEN.")
    @Nullable
    Path tokenFile;

    @Option(
            names = "--tls-trust",
            paramLabel = "FILE",
            description = "Certificates to trust, in PEM. Default: those of the system.")
    @Nullable
    Path trusted;

    /** A client of the service. */
    ServiceClient client() {
        String token = TokenSource.text(tokenFile, System.getenv(TokenSource.VARIABLE));
        return new ServiceClient(ServiceAddress.of(server, token, trusted));
    }
}
