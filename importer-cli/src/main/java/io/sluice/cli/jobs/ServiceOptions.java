package io.sluice.cli.jobs;

import io.sluice.cli.jobs.client.ServiceAddress;
import io.sluice.cli.jobs.client.ServiceClient;
import io.sluice.cli.remote.AccessOptions;
import picocli.CommandLine.Mixin;
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

    @Mixin
    AccessOptions access;

    /** A client of the service. */
    ServiceClient client() {
        return new ServiceClient(access.service(server));
    }
}
