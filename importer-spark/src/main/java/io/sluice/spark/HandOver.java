package io.sluice.spark;

import io.sluice.api.node.NodeClient;
import io.sluice.client.RemoteSettings;
import io.sluice.client.cluster.NamedNodes;
import io.sluice.importer.job.ImportControl;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.staged.StagedIngest;
import io.sluice.importer.job.staged.StagedSet;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.file.DurableFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Hands a finished set over to storage nodes, from the driver. The import has the id of the set: repeated, it changes
 * nothing, and an interrupted one is resumed.
 *
 * @param addresses of the nodes
 * @param replicas number of nodes that hold each key range; null: one
 * @param tokenFile file with the nodes' token; null: from the environment, if there is one
 * @param trusted certificates to trust; null: the system's
 * @param again how to resume, in the words of the caller
 */
record HandOver(
        List<String> addresses,
        @Nullable Integer replicas,
        @Nullable Path tokenFile,
        @Nullable Path trusted,
        String again) {
    private static final long GIVE_UP_MILLIS = TimeUnit.MINUTES.toMillis(10);
    private static final String TOKEN = "SLUICE_TOKEN";

    /**
     * Nodes that are named by a list with commas.
     *
     * @throws BadInputException if it names none, or an address cannot be read
     */
    static HandOver to(
            String nodes, @Nullable Integer replicas, @Nullable Path tokenFile, @Nullable Path trusted, String again) {
        List<String> addresses = Arrays.stream(nodes.split(","))
                .map(String::strip)
                .filter(address -> !address.isEmpty())
                .toList();
        if (addresses.isEmpty()) {
            throw new BadInputException("there is no node in '" + nodes + "'; name them as HOST:PORT,HOST:PORT");
        }
        addresses.forEach(RemoteSettings::of);
        return new HandOver(addresses, replicas, tokenFile, trusted, again);
    }

    /**
     * Checks, before any work, that the nodes answer and have no table of this name.
     *
     * @throws BadInputException if they have one
     */
    void check(String table) {
        try (NodeClient client = open(named())) {
            if (client.table(table) != null) {
                throw new BadInputException("table " + table + " is on " + String.join(", ", addresses)
                        + " already; drop it there, or give this one another name");
            }
        }
    }

    /**
     * Ingests a set as a new table.
     *
     * @return what was done, in a line
     */
    String ingest(StagedSet set) {
        Path work = null;
        NamedNodes nodes = named();
        nodes.requireWhole(set.manifest().table().name());
        try (NodeClient client = open(nodes)) {
            work = Files.createTempDirectory("sluice-ingest-");
            StagedIngest.Result result = new StagedIngest(
                            set,
                            client,
                            work,
                            Runtime.getRuntime().availableProcessors(),
                            false,
                            new ImportControl().givingUpAfter(GIVE_UP_MILLIS),
                            new ImportProgress())
                    .run();
            return set.place() + ": " + result.state() + " on " + String.join(", ", addresses);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new OperationFailedException(
                    "the ingest of " + set.place() + " was interrupted; " + again + " to resume it", e);
        } catch (IOException e) {
            throw new OperationFailedException("no directory for copies of SSTs: " + e.getMessage(), e);
        } finally {
            delete(work);
        }
    }

    private NodeClient open(NamedNodes nodes) {
        return nodes.forImport(nodes.settings(), replicas, GIVE_UP_MILLIS);
    }

    private NamedNodes named() {
        String token = token();
        return new NamedNodes(
                addresses,
                address -> RemoteSettings.of(address).withToken(token).withTrusted(trusted));
    }

    private @Nullable String token() {
        if (tokenFile == null) {
            String variable = System.getenv(TOKEN);
            return variable == null || variable.isBlank() ? null : variable.strip();
        }
        try {
            return Files.readString(tokenFile).strip();
        } catch (IOException e) {
            throw new BadInputException("the token file " + tokenFile + " cannot be read: " + e.getMessage(), e);
        }
    }

    private static void delete(@Nullable Path work) {
        try {
            if (work != null) {
                DurableFiles.deleteTree(work);
            }
        } catch (IOException e) {
            throw new OperationFailedException(work + " could not be removed: " + e.getMessage(), e);
        }
    }
}
