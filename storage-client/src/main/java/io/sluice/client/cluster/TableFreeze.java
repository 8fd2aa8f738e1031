package io.sluice.client.cluster;

import io.sluice.api.node.TableStatus;
import io.sluice.api.transaction.InDoubtBranch;
import io.sluice.api.transaction.LastAgent;
import io.sluice.api.wire.ChangesBody;
import io.sluice.api.wire.ClusterChange;
import io.sluice.api.wire.ClusterChange.Freeze;
import io.sluice.client.RemoteNode;
import io.sluice.client.RemoteReplica;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.SluiceException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A table whose rows can be read but not changed for a moment, by an entry of the cluster's log: while the last changes
 * of a copy are copied, or replicas are compared. The leader thaws it after 30 s if this process dies.
 *
 * <p>A transaction in doubt may keep rows for as long as its last agent is down, so it is looked for before the freeze.
 */
final class TableFreeze {
    /** Time until the nodes change no more rows; the leader thaws the table after 30 s. */
    private static final long FREEZE_NANOS = TimeUnit.SECONDS.toNanos(15);

    /** The same while a node has a prepared branch: its coordinator has died in this moment. */
    private static final long BRANCH_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Wait for an import that adds rows: one of few rows has ended then. */
    private static final long APPEND_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Age from which a prepared branch is in doubt: the others are decided within milliseconds. */
    private static final long IN_DOUBT_MILLIS = 5_000;

    /** Age from which a prepared branch is waited for, until it is decided or in doubt. */
    private static final long SLOW_MILLIS = 500;

    private static final long POLL_MILLIS = 20;

    /** Time for a node to learn of a move; one that has no contact to most members for 5 s serves no rows. */
    private static final long KNOWN_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final UUID UNUSED = new UUID(0, 0);

    private final TableStatus table;
    private final Map<String, RemoteNode> nodes;
    private final Repair.Effects effects;
    private final String owner;

    /**
     * A node on which the table's rows must not change.
     *
     * @param node its id
     * @param next takes and handles the changes since the last call
     */
    record Quiet(String node, Supplier<ChangesBody> next) {}

    /** @param nodes clients by node id */
    TableFreeze(TableStatus table, Map<String, RemoteNode> nodes, Repair.Effects effects) {
        this.table = table;
        this.nodes = nodes;
        this.effects = effects;
        owner = Freeze.newOwner(effects.command());
    }

    String owner() {
        return owner;
    }

    /** A client of a node that answered. */
    RemoteNode client(String node) {
        RemoteNode client = nodes.get(node);
        if (client == null) {
            throw new OperationFailedException("node " + effects.described(node) + " does not answer");
        }
        return client;
    }

    /**
     * Waits for some seconds while an import adds rows to the table, or a node has a slow prepared branch that changes
     * it.
     *
     * @return the import or the transaction in doubt that remains, and what to do about it; null if there is none
     */
    @Nullable
    String blocker(Collection<String> ids) {
        long start = System.nanoTime();
        while (true) {
            long waited = System.nanoTime() - start;
            boolean slow = false;
            boolean appending = false;
            for (String node : ids) {
                ChangesBody.State state =
                        client(node).replica(node, table, owner).state();
                appending |= state != null && state.appending();
                for (InDoubtBranch branch : client(node).inDoubt()) {
                    if (branch.tables().contains(table.table().name())) {
                        // The log decides one that a node has from before its restart, as soon as the node asks.
                        boolean waits = branch.lastAgent() == null && waited <= BRANCH_NANOS;
                        if (branch.ageMillis() >= IN_DOUBT_MILLIS && !waits) {
                            return inDoubt(node, branch);
                        }
                        slow |= branch.ageMillis() >= SLOW_MILLIS;
                    }
                }
            }
            if (appending && waited > APPEND_NANOS) {
                return appending();
            }
            if (!appending && (!slow || waited > FREEZE_NANOS)) {
                return null;
            }
            pause();
        }
    }

    private String appending() {
        return "rows are being added to table " + table.table().name() + "; run 'sluice " + effects.command()
                + "' again when that import has ended";
    }

    private String inDoubt(String node, InDoubtBranch branch) {
        String id = branch.id().toString();
        LastAgent agent = branch.lastAgent();
        if (agent == null) {
            return "transaction " + id + " changes the table and is in doubt on node " + effects.described(node)
                    + ", which asks the log of the cluster: repair again in some seconds, when most nodes are up";
        }
        return "transaction " + id + " changes the table and is in doubt on node " + effects.described(node)
                + ", until node " + effects.described(agent.id())
                + " tells its outcome: start that node. If it is gone for good, decide by 'sluice transactions resolve "
                + id + " --commit' or '--abort', and repair again";
    }

    /**
     * Freezes the table, does work when its rows change no more, and thaws it.
     *
     * @param quiet all nodes that the work depends on
     * @param work returns whether it has thawed the table itself
     * @throws OperationFailedException if rows are being added, a transaction is in doubt, or the nodes do not become
     *     quiet in time
     */
    void run(List<Quiet> quiet, Predicate<Freeze> work) {
        String blocker = blocker(quiet.stream().map(Quiet::node).distinct().toList());
        if (blocker != null) {
            throw new OperationFailedException(blocker);
        }
        Freeze freeze = new Freeze(table.table().id(), owner, table.directory().epoch());
        boolean thawed = false;
        try {
            effects.change(ClusterChange.freezing(freeze));
            long start = System.nanoTime();
            quiet.forEach(each -> await(each, start));
            thawed = work.test(freeze);
        } finally {
            if (!thawed) {
                thaw(freeze);
            }
        }
    }

    /** Waits until a node changes no more rows, and handles the last changes. */
    private void await(Quiet node, long start) {
        while (true) {
            ChangesBody batch = node.next().get();
            ChangesBody.State state = batch.state();
            if (state.appending()) {
                throw new OperationFailedException(appending());
            }
            boolean quiet = owner.equals(state.owner()) && state.prepared() == 0;
            if (quiet && batch.last()) {
                return;
            }
            if (System.nanoTime() - start > (state.prepared() > 0 ? BRANCH_NANOS : FREEZE_NANOS)) {
                throw new OperationFailedException("table " + table.table().name() + " did not become quiet on node "
                        + effects.described(node.node()) + ": "
                        + (state.prepared() > 0
                                ? state.prepared() + " prepared branches of transactions change it"
                                : "the node does not follow the cluster's log, or rows change too fast"));
            }
            if (!quiet) {
                pause();
            }
        }
    }

    /** A node whose changes are not captured. */
    Quiet quiet(String node) {
        RemoteReplica replica = client(node).replica(node, table, owner);
        // No capture: that would end the one of a copy.
        return new Quiet(node, () -> new ChangesBody(UNUSED, 0, false, List.of(), List.of(), state(replica)));
    }

    private ChangesBody.State state(RemoteReplica replica) {
        ChangesBody.State state = replica.state();
        if (state == null) {
            throw new OperationFailedException("table " + table.table().name() + " was dropped meanwhile");
        }
        return state;
    }

    /**
     * Thaws a table whose ranges have left nodes, when these know it: they serve no rows of them any more then. Until
     * then no row is changed that they might serve.
     *
     * @param freeze the freeze that the move has set
     * @param nodes ids of the nodes that ranges have left
     */
    void thawWhenKnown(Freeze freeze, Collection<String> nodes) {
        try {
            awaitKnown(freeze.epoch(), nodes);
        } finally {
            thaw(freeze);
        }
    }

    /** Waits until nodes have a directory of the table of this epoch or a later one, or some seconds. */
    void awaitKnown(long epoch, Collection<String> nodes) {
        long end = System.nanoTime() + KNOWN_NANOS;
        for (String node : nodes) {
            RemoteReplica replica = client(node).replica(node, table, owner);
            while (state(replica).epoch() < epoch && System.nanoTime() - end < 0) {
                pause();
            }
        }
    }

    private void thaw(Freeze freeze) {
        try {
            effects.change(ClusterChange.thawing(freeze));
        } catch (SluiceException e) {
            effects.log("table " + table.table().name() + " stays frozen for up to 30 s: " + e.getMessage());
        }
    }

    static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new OperationFailedException("the copy was interrupted", e);
        }
    }
}
