package io.sluice.client.cluster;

import io.sluice.api.node.TableStatus;
import io.sluice.api.wire.ChangesBody;
import io.sluice.api.wire.ClusterBody;
import io.sluice.api.wire.ClusterChange;
import io.sluice.client.RemoteNode;
import io.sluice.client.RemoteReplica;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.ChangeRefusedException;
import io.sluice.model.error.NodeUnreachableException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.SluiceException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Drops a table of a cluster while some of its nodes may be down:
 *
 * <ol>
 *   <li>an entry of the log freezes the table: no statement changes its rows, and no import of a table that is
 *       interleaved in it begins;
 *   <li>each node that answers says that no table is interleaved in it;
 *   <li>an entry drops the table on all nodes. A node that is down applies it when it is back.
 * </ol>
 *
 * <p>Most members must answer: an import has most of them, so one of those knows each import that runs.
 */
final class TableDrop {
    /** Time until all nodes that answer have applied the freeze; the leader ends it after 30 s. */
    private static final long FREEZE_NANOS = TimeUnit.SECONDS.toNanos(15);

    /**
     * By then a node that has not applied an entry has had no contact for 5 s, and serves no rows: contact to a leader
     * that the others have replaced lasts for 2 s more.
     */
    private static final long KNOWN_NANOS = TimeUnit.SECONDS.toNanos(8);

    private final NodePool pool;
    private final ClusterLog log;
    private final String owner = ClusterChange.Freeze.newOwner("drop");

    TableDrop(NodePool pool, ClusterLog log) {
        this.pool = pool;
        this.log = log;
    }

    /**
     * Drops a table.
     *
     * @param answering the members that answer
     * @param found the members that have the table
     * @throws BadInputException when others are interleaved in it; nothing was changed
     * @throws OperationFailedException when too few members answer, or the log does not take the drop
     */
    void run(Collection<Member> answering, Map<Member, TableStatus> found) {
        TableStatus table = found.values().iterator().next();
        String name = table.table().name();
        if (answering.size() * 2 <= log.members()) {
            throw new OperationFailedException("table " + name + " is not dropped: only " + answering.size()
                    + " of the cluster's " + log.members() + " nodes answer, and a drop needs most of them;"
                    + " 'sluice cluster status' shows which do not");
        }
        long epoch = found.values().stream()
                .mapToLong(status -> status.directory().epoch())
                .max()
                .orElseThrow();
        int id = table.table().id();
        ClusterChange.Freeze freeze = new ClusterChange.Freeze(id, owner, epoch);
        ClusterChange drop = ClusterChange.dropping(new ClusterChange.Dropped(id, name), freeze);
        boolean dropped = false;
        try {
            freeze(freeze, drop);
            long end = System.nanoTime() + FREEZE_NANOS;
            pool.each(List.copyOf(found.keySet()), member -> check(member, table, end));
            log.write(drop);
            dropped = true;
            long index = log.seen();
            long known = System.nanoTime() + KNOWN_NANOS;
            pool.each(List.copyOf(answering), member -> awaitApplied(member, index, known));
        } finally {
            if (!dropped) {
                log.thaw(freeze);
            }
        }
    }

    /** A table that was dropped before may be back on a node by a late request of a copy: that node drops it again. */
    private void freeze(ClusterChange.Freeze freeze, ClusterChange drop) {
        try {
            log.write(ClusterChange.freezing(freeze));
        } catch (ChangeRefusedException e) {
            try {
                log.write(drop);
            } catch (ChangeRefusedException notDropped) {
                e.addSuppressed(notDropped);
                throw e;
            }
        }
    }

    private void check(Member member, TableStatus table, long end) {
        String name = table.table().name();
        RemoteReplica replica = node(member).replica(member.id(), table, owner);
        try {
            ChangesBody.State state = replica.state();
            while (state != null && !owner.equals(state.owner())) {
                if (System.nanoTime() - end > 0) {
                    throw new OperationFailedException("table " + name + " is not dropped: node " + member.described()
                            + " does not follow the cluster's log; drop it again");
                }
                TableFreeze.pause();
                state = replica.state();
            }
            if (state != null && state.appending()) {
                throw new BadInputException("rows are being added to table " + name + "; wait until that import ends");
            }
            if (state != null && !state.inside().isEmpty()) {
                throw new BadInputException("table " + name + " has tables interleaved in it: "
                        + String.join(", ", state.inside()) + "; drop those first");
            }
        } catch (NodeUnreachableException e) {
            throw new OperationFailedException("table " + name + " is not dropped: " + e.getMessage(), e);
        }
    }

    /**
     * Waits until a node has applied the drop, so that no later request finds the table there: also on one that applied
     * the publication of the table only after it was listed.
     */
    private static void awaitApplied(Member member, long index, long end) {
        try {
            ClusterBody seen = node(member).cluster();
            while (seen != null && seen.applied() < index && System.nanoTime() - end < 0) {
                TableFreeze.pause();
                seen = node(member).cluster();
            }
        } catch (SluiceException e) {
            // The drop is decided: the node applies it when it is back.
        }
    }

    private static RemoteNode node(Member member) {
        if (member.client() instanceof RemoteNode node) {
            return node;
        }
        throw new IllegalStateException("a member of a cluster that is not remote");
    }
}
