package io.sluice.cli.imports;

import io.sluice.api.node.NodeClient;
import io.sluice.cli.remote.RemoteOptions;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options for an import into storage nodes on a network. */
@SuppressWarnings("NullAway.Init") // picocli sets the mixin
final class TargetOptions {
    private static final String UUID_FORM = "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}";

    @Mixin
    RemoteOptions remote;

    @Option(
            names = "--replicas",
            paramLabel = "R",
            description = "Number of nodes that hold each key range of the table. Default: 1.")
    @Nullable
    Integer replicas;

    @Option(
            names = "--job-id",
            paramLabel = "ID",
            description =
                    "Name or UUID of the import; the same id resumes an interrupted import; see docs/how-to/resume.md.")
    @Nullable
    String jobId;

    @Option(
            names = "--give-up-after",
            paramLabel = "SECONDS",
            description =
                    "Time after which an import pauses if a node does not answer or accepts no data. Default: 600.")
    long giveUpAfterSeconds = 600;

    /** Validates the options and adds problems to the list. */
    void validate(@Nullable Path store, List<String> problems) {
        if (store != null && remote.given()) {
            problems.add("give either --store or --nodes, not both");
        }
        if (replicas != null && !remote.given()) {
            problems.add("--replicas needs --nodes");
        }
        if (giveUpAfterSeconds < 0) {
            problems.add("--give-up-after " + giveUpAfterSeconds + ": must not be negative");
        }
    }

    /** Opens clients for the nodes as one client, which the caller closes. */
    NodeClient open() {
        return remote.openForImport(replicas, giveUpAfterMillis());
    }

    long giveUpAfterMillis() {
        return TimeUnit.SECONDS.toMillis(giveUpAfterSeconds);
    }

    /** Number of nodes of the import; 1 for a store. */
    int nodes() {
        return Math.max(1, remote.names().size());
    }

    /** The import id: given by --job-id, or new for nodes on a network; null for a store without --job-id. */
    @Nullable
    UUID importId() {
        if (jobId == null) {
            return remote.given() ? UUID.randomUUID() : null;
        }
        return jobId.matches(UUID_FORM)
                ? UUID.fromString(jobId)
                : UUID.nameUUIDFromBytes(jobId.getBytes(StandardCharsets.UTF_8));
    }
}
