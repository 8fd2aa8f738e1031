package io.sluice.cli.remote;

import io.sluice.cli.jobs.client.ServiceAddress;
import io.sluice.client.RemoteSettings;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.NodeUnreachableException;
import io.sluice.model.error.OperationFailedException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** An import service whose tables a command uses, in place of a store or nodes. */
public final class ServerOption {
    @Option(
            names = "--server",
            paramLabel = "URL",
            description = "Import service whose tables to use, such as " + ServiceAddress.USUAL + ".")
    @Nullable
    String server;

    /**
     * Checks that there is one place with tables.
     *
     * @throws BadInputException when none was named, or several
     */
    public void check(@Nullable Path store, RemoteOptions remote) {
        int places = (store == null ? 0 : 1) + (remote.given() ? 1 : 0) + (server == null ? 0 : 1);
        if (places == 0) {
            throw new BadInputException("give --store DIR, --nodes HOST:PORT,HOST:PORT… or --server URL");
        }
        if (places > 1) {
            throw new BadInputException("give only one of --store, --nodes and --server");
        }
    }

    /** The failure with the service's address, if one was named; a client of its tables takes it for a node. */
    public OperationFailedException ofService(NodeUnreachableException failure, RemoteOptions remote) {
        RemoteSettings service = settings(remote);
        return service == null
                ? failure
                : new OperationFailedException(
                        String.valueOf(failure.getMessage())
                                .replace("node " + service.name(), "the import service at " + server)
                                .replace("A node that", "One that"),
                        failure);
    }

    /** Connection settings of the service, or null if none was named. */
    public @Nullable RemoteSettings settings(RemoteOptions remote) {
        return server == null ? null : remote.settings(server);
    }
}
