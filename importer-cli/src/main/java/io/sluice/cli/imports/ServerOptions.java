package io.sluice.cli.imports;

import io.sluice.cli.jobs.client.ServiceAddress;
import io.sluice.cli.jobs.client.ServiceClient;
import io.sluice.cli.remote.AccessOptions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options for an import that a service runs instead of this process. */
@SuppressWarnings("NullAway.Init") // picocli sets what has a default
final class ServerOptions {
    /** Effect of Ctrl-C on the watched job. */
    enum OnInterrupt {
        /** The job continues. */
        DETACH,
        /** The job is cancelled and undone. */
        CANCEL
    }

    @Option(
            names = "--server",
            paramLabel = "URL",
            description = "Import service that does this instead of the process, such as " + ServiceAddress.USUAL
                    + "; see docs/how-to/jobs.md. The service reads the files.")
    @Nullable
    String server;

    @Option(names = "--label", paramLabel = "K=V", description = "With --server: label of the job; may be repeated.")
    Map<String, String> labels = new LinkedHashMap<>();

    @Option(names = "--detach", description = "With --server: print the job's id and exit; the job continues.")
    boolean detach;

    @Option(
            names = "--on-interrupt",
            paramLabel = "A",
            description = "With --server: effect of Ctrl-C: detach (default; the job continues) or cancel.")
    @Nullable
    OnInterrupt onInterrupt;

    /** Creates a client of the service. */
    ServiceClient client(AccessOptions access) {
        return new ServiceClient(access.service(Objects.requireNonNull(server)));
    }

    /** Whether a service runs the import. */
    boolean given() {
        return server != null;
    }

    /** Adds a problem for each option that needs --server. */
    void validateAbsence(List<String> problems) {
        if (!labels.isEmpty()) {
            problems.add("--label needs --server");
        }
        if (detach) {
            problems.add("--detach needs --server");
        }
        if (onInterrupt != null) {
            problems.add("--on-interrupt needs --server");
        }
    }
}
