package io.sluice.cli.jobs;

import io.sluice.cli.jobs.client.ServiceAddress;
import io.sluice.cli.jobs.client.ServiceClient;
import io.sluice.cli.remote.AccessOptions;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Address of and access to the import service; options of every {@code jobs} command. */
@SuppressWarnings("NullAway.Init") // picocli sets what has a default
final class ServiceOptions {
    @Option(
            names = "--server",
            paramLabel = "URL",
            defaultValue = "${env:" + ServiceAddress.VARIABLE + ":-" + ServiceAddress.USUAL + "}",
            description = "Address of the service. Default: the environment variable " + ServiceAddress.VARIABLE
                    + ", or " + ServiceAddress.USUAL + ".")
    String server;

    @Mixin
    AccessOptions access;

    /** Creates a client of the service. */
    ServiceClient client() {
        return new ServiceClient(access.service(server));
    }
}
