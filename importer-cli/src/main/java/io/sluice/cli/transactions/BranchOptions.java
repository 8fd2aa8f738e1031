package io.sluice.cli.transactions;

import io.sluice.api.transaction.InDoubtBranch;
import io.sluice.api.transaction.Outcome;
import io.sluice.cli.node.LocalNodes;
import io.sluice.cli.remote.RemoteOptions;
import io.sluice.client.RemoteNode;
import io.sluice.client.RemoteSettings;
import io.sluice.model.error.NodeUnreachableException;
import io.sluice.node.StorageNode;
import io.sluice.sql.SqlEngine;
import io.sluice.sql.SqlSettings;
import io.sluice.sql.distributed.TransactionParticipant;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The location of branches in doubt: a store that no node serves, or nodes. */
@SuppressWarnings("NullAway.Init") // picocli sets the mixin
final class BranchOptions {
    /** Branches are few and small: nothing is read of the tables. */
    private static final long BLOCK_CACHE_BYTES = 8L << 20;

    @Option(names = "--store", paramLabel = "DIR", description = "Directory of a store that no node serves.")
    @Nullable
    Path store;

    @Mixin
    RemoteOptions remote;

    @Option(
            names = "--peers",
            split = ",",
            paramLabel = "HOST:PORT",
            description = "With --store: nodes to ask for the outcome of a transaction.")
    List<String> peers = List.of();

    /**
     * A node that holds branches.
     *
     * @param name name in messages: its address, or the store's directory
     * @param inDoubt lists the branches
     * @param resolve see {@link TransactionParticipant#resolve}
     */
    record Holder(String name, Supplier<List<InDoubtBranch>> inDoubt, BiFunction<UUID, Boolean, Outcome> resolve) {}

    /**
     * Runs work on each node, one after the other, also after one that does not answer.
     *
     * @return the failures of nodes that did not answer, for the caller to throw at its end; null: all did
     */
    @Nullable
    NodeUnreachableException each(LocalNodes nodes, Consumer<Holder> work) {
        remote.check(store);
        if (store != null) {
            try (StorageNode node = nodes.openForBranches(store, BLOCK_CACHE_BYTES);
                    SqlEngine engine = SqlEngine.on(node, SqlSettings.defaults())) {
                TransactionParticipant participant = engine.participant();
                work.accept(new Holder(
                        store.toString(),
                        participant::inDoubt,
                        (id, commit) -> participant.resolve(id, commit, remote.peers(peers), null)));
            }
            return null;
        }
        NodeUnreachableException silent = null;
        for (RemoteSettings settings : remote.named().settings()) {
            try (RemoteNode node = new RemoteNode(settings)) {
                work.accept(new Holder(settings.name(), node::inDoubt, node::resolve));
            } catch (NodeUnreachableException e) {
                if (silent == null) {
                    silent = e;
                } else {
                    silent.addSuppressed(e);
                }
            }
        }
        return silent;
    }
}
