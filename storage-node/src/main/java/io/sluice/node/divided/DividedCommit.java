package io.sluice.node.divided;

import io.sluice.api.error.NodeUnreachableException;
import io.sluice.api.error.OperationFailedException;
import io.sluice.api.kv.KvSum;
import io.sluice.api.transaction.Changes;
import io.sluice.api.transaction.Difference;
import io.sluice.api.transaction.LogPosition;
import io.sluice.api.transaction.Participant;
import io.sluice.api.transaction.Placement;
import io.sluice.api.transaction.TableChanges;
import io.sluice.node.transaction.Overlay;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The end of a transaction on several nodes, in two phases of which the last node has but one:
 *
 * <ol>
 *   <li>divide what was written, by who holds it, and add what was read from each node;
 *   <li>choose the node that decides: one that is written to;
 *   <li>have all others prepare, at once: what they have read and write can then be committed whatever happens;
 *   <li>have the one commit its part, if it still can: that is the decision for all, and the client's answer;
 *   <li>tell the others, in the background.
 * </ol>
 *
 * When this process dies before step 4, the others ask the one, which by being asked decides that it was not committed.
 * When it dies behind it, they learn that it was. With a single node, step 4 is all there is.
 */
final class DividedCommit {
    private final DividedTables tables;
    private final Known known;
    private final Function<String, NodeSnapshot> open;
    private final Map<String, NodeSnapshot> snapshots;
    private final Map<String, Part> parts = new TreeMap<>();

    /**
     * Of one transaction.
     *
     * @param open the transaction's snapshot on a node
     * @param snapshots those that there are
     */
    DividedCommit(
            DividedTables tables,
            Known known,
            Function<String, NodeSnapshot> open,
            Map<String, NodeSnapshot> snapshots) {
        this.tables = tables;
        this.known = known;
        this.open = open;
        this.snapshots = snapshots;
    }

    /** What one node has to do with it. */
    private static final class Part {
        private final NodeSnapshot snapshot;
        private final Map<Integer, Writes> written = new LinkedHashMap<>();
        private final Map<Overlay.Place, KvSum> differences = new HashMap<>();

        Part(NodeSnapshot snapshot) {
            this.snapshot = snapshot;
        }

        void write(int table, byte[] key, byte @Nullable [] value) {
            Writes writes = written.computeIfAbsent(table, none -> new Writes(new ArrayList<>(), new ArrayList<>()));
            writes.keys().add(key);
            writes.values().add(value);
        }

        boolean writes() {
            return !written.isEmpty();
        }

        Changes changes(@Nullable LogPosition log) {
            List<TableChanges> all = new ArrayList<>();
            written.forEach((table, each) -> all.add(new TableChanges(table, each.keys(), each.values())));
            List<Difference> sums = new ArrayList<>();
            differences.forEach((place, sum) -> sums.add(Difference.of(place.tableId(), place.ordinal(), sum)));
            return new Changes(snapshot.open(), all, snapshot.read(), sums, log);
        }
    }

    private record Writes(List<byte[]> keys, List<byte @Nullable []> values) {}

    /**
     * Commits.
     *
     * @throws io.sluice.api.sql.StatementException when it is refused; nothing was written then
     * @throws OperationFailedException when a node does not answer; the message says whether that is known
     */
    void run(Overlay overlay, @Nullable LogPosition log) {
        divide(overlay);
        snapshots.forEach((id, snapshot) -> {
            if (!snapshot.read().isEmpty()) {
                part(id);
            }
        });
        Part decider = decider(log);
        List<Part> others = new ArrayList<>(parts.values());
        others.remove(decider);
        UUID transaction = decider.snapshot.open();
        Changes last = decider.changes(log);
        prepare(transaction, decider.snapshot.node(), others);
        decide(transaction, decider, last, others);
    }

    private void divide(Overlay overlay) {
        Map<Integer, Placement> placements = new HashMap<>();
        overlay.forEach((key, change) -> {
            int table = change.place().tableId();
            List<String> holders =
                    placements.computeIfAbsent(table, known::require).holders(key);
            holders.forEach(node -> part(node).write(table, key, change.now()));
            part(holders.get(0)).differences.merge(change.place(), change.difference(), KvSum::plus);
        });
    }

    private Part part(String node) {
        return parts.computeIfAbsent(node, id -> new Part(open.apply(id)));
    }

    /** The position of a log is always kept by the same node, which then decides. */
    private Part decider(@Nullable LogPosition log) {
        if (log != null) {
            return part(known.keeper());
        }
        return parts.values().stream().filter(Part::writes).findFirst().orElseThrow();
    }

    private void prepare(UUID transaction, Participant decider, List<Part> others) {
        List<Participant> prepared = Collections.synchronizedList(new ArrayList<>());
        List<Runnable> work = new ArrayList<>();
        for (Part part : others) {
            work.add(() -> {
                Participant node = part.snapshot.node();
                Changes changes = part.changes(null);
                // Also when no answer comes: it may be prepared.
                prepared.add(node);
                node.prepare(transaction, decider.address(), changes);
                part.snapshot.used();
            });
        }
        try {
            tables.tasks().all(work);
        } catch (RuntimeException e) {
            tables.aftermath().abort(transaction, prepared);
            throw e;
        }
    }

    private void decide(UUID transaction, Part decider, Changes changes, List<Part> others) {
        List<Participant> nodes =
                others.stream().map(part -> part.snapshot.node()).toList();
        Participant node = decider.snapshot.node();
        try {
            node.commit(changes, nodes.stream().map(Participant::id).toList());
        } catch (NodeUnreachableException e) {
            throw new OperationFailedException(
                    e.getMessage() + " It is not known whether the transaction was committed; it was on all nodes or on"
                            + " none.",
                    e);
        } catch (RuntimeException e) {
            tables.aftermath().abort(transaction, nodes);
            throw e;
        }
        decider.snapshot.used();
        tables.aftermath().commit(transaction, node, nodes);
    }
}
