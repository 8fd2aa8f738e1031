package io.sluice.cli.store;

import io.sluice.api.node.NodeClient;
import io.sluice.api.node.TableSource;
import io.sluice.api.node.TableStatus;
import io.sluice.cli.ExitCode;
import io.sluice.cli.node.LocalNodes;
import io.sluice.cli.output.Output;
import io.sluice.cli.remote.RemoteOptions;
import io.sluice.cli.remote.ServerOption;
import io.sluice.client.RemoteNode;
import io.sluice.client.RemoteSettings;
import io.sluice.client.cluster.Cluster;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.NodeUnreachableException;
import io.sluice.model.error.SluiceException;
import io.sluice.node.SteadyClock;
import io.sluice.sql.distributed.ClusterSnapshot;
import io.sluice.sql.distributed.DistributedTables;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Base of the commands on the tables of a store or of nodes: opens these, runs, and prints. */
@SuppressWarnings("NullAway.Init") // picocli sets what is required
public abstract class StoreCommand implements Callable<Integer> {
    private final LocalNodes nodes;
    private final Supplier<Output> output;

    @Option(names = "--store", paramLabel = "DIR", description = "Directory of the store.")
    @Nullable
    Path store;

    @Mixin
    RemoteOptions remote;

    @Mixin
    ServerOption server;

    /** @param output opens standard output */
    protected StoreCommand(LocalNodes nodes, Supplier<Output> output) {
        this.nodes = nodes;
        this.output = output;
    }

    @Override
    public final Integer call() {
        check();
        server.check(store, remote);
        try (NodeClient node = open();
                Output out = output.get()) {
            run(node, out);
        } catch (NodeUnreachableException e) {
            throw server.ofService(e, remote);
        }
        return ExitCode.OK;
    }

    /**
     * Checks the options before anything is opened.
     *
     * @throws BadInputException if one is invalid
     */
    protected void check() {}

    /**
     * Runs the command.
     *
     * @param node has the tables; closed afterwards
     * @param out standard output; closed afterwards
     */
    protected abstract void run(NodeClient node, Output out);

    /** A local store is a cluster of one, as a single node is: it may hold a part of a table only. */
    private NodeClient open() {
        RemoteSettings service = server.settings(remote);
        if (service != null) {
            // The service itself answers for whole tables only.
            return new RemoteNode(service);
        }
        return store == null ? remote.named().forReads() : new Cluster(Map.of(store.toString(), nodes.open(store)), 1);
    }

    /**
     * Takes a snapshot of tables of running nodes, which statements and imports may change meanwhile. A store has no
     * others that change it, and a service serves no snapshots.
     *
     * @param node has the tables
     * @param names names of the tables; none: all tables
     * @param warn receives the reason if the nodes cannot take one
     * @return null if there is none
     */
    protected final @Nullable ClusterSnapshot snapshot(
            NodeClient node, Collection<String> names, Consumer<String> warn) {
        if (!remote.given()) {
            return null;
        }
        try {
            return ClusterSnapshot.take(
                    new DistributedTables(remote.named().participants(), new SteadyClock()), names, node);
        } catch (SluiceException e) {
            warn.accept(e.getMessage());
            return null;
        }
    }

    /**
     * The readable table of a name.
     *
     * @throws BadInputException if there is none; the message lists those that there are
     */
    protected static TableStatus table(TableSource source, String name) {
        TableStatus table = source.table(name);
        if (table == null) {
            String known = String.join(
                    ", ",
                    source.tables().stream()
                            .map(status -> status.table().name())
                            .toList());
            throw new BadInputException("the store has no table " + name + "; "
                    + (known.isEmpty() ? "it has no tables" : "it has " + known));
        }
        return table;
    }
}
