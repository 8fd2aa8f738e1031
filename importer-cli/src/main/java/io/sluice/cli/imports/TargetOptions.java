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

/** Storage nodes on a network that an import can go to in place of a store, and how it goes there. */
@SuppressWarnings("NullAway.Init") // picocli sets the mixin
final class TargetOptions {
    private static final String UUID_FORM = "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}";

    @Mixin
    RemoteOptions remote;

    @Option(
            names = "--replicas",
            paramLabel = "R",
            description = "How many nodes each part of the table is on. Default: 1.")
    @Nullable
    Integer replicas;

    @Option(
            names = "--job-id",
            paramLabel = "ID",
            description =
                    "Name of the import, or its UUID: run again with the same one, an import that was cut off goes on; see docs/resume.md.")
    @Nullable
    String jobId;

    @Option(
            names = "--give-up-after",
            paramLabel = "SECONDS",
            description = "How long a node may be away, or take nothing, before the import is paused. Default: 600.")
    long giveUpAfterSeconds = 600;

    /** Adds what is wrong with them. */
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

    /** Clients for the nodes; the caller closes them, as one. */
    NodeClient open() {
        return remote.openForImport(replicas, giveUpAfterMillis());
    }

    long giveUpAfterMillis() {
        return TimeUnit.SECONDS.toMillis(giveUpAfterSeconds);
    }

    /** How many nodes an import goes to; a store has one. */
    int nodes() {
        return Math.max(1, remote.names().size());
    }

    /** What names the import for nodes: as told, or a new name for nodes on a network; null for a store without. */
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
