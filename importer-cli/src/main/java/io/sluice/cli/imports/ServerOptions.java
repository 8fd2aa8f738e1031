package io.sluice.cli.imports;

import io.sluice.cli.jobs.client.ServiceAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** An import service that does the import, in place of this process. */
@SuppressWarnings("NullAway.Init") // picocli sets what has a default
final class ServerOptions {
    /** What Ctrl-C does to a job that is being watched. */
    enum OnInterrupt {
        /** Nothing; the watching ends. */
        DETACH,
        /** It is undone. */
        CANCEL
    }

    @Option(
            names = "--server",
            paramLabel = "URL",
            description = "Import service that is to do it, such as " + ServiceAddress.USUAL
                    + ", in place of this process; see docs/jobs.md. It reads the files itself.")
    @Nullable
    String server;

    @Option(
            names = "--label",
            paramLabel = "K=V",
            description = "With --server: label of the job, to find it by; may be repeated.")
    Map<String, String> labels = new LinkedHashMap<>();

    @Option(names = "--detach", description = "With --server: print the job's id and end; the job goes on.")
    boolean detach;

    @Option(
            names = "--on-interrupt",
            paramLabel = "A",
            description = "With --server: what Ctrl-C does, detach (default; the job goes on) or cancel.")
    @Nullable
    OnInterrupt onInterrupt;

    /** Whether a service is to do it. */
    boolean given() {
        return server != null;
    }

    /** Adds what makes no sense without a service. */
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
