package io.sluice.client.cluster;

import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.KvPage;
import io.sluice.api.node.RangeDirectory;
import io.sluice.api.node.TableStatus;
import io.sluice.api.wire.ChangesBody;
import io.sluice.api.wire.ClusterChange;
import io.sluice.api.wire.ClusterChange.Freeze;
import io.sluice.client.RemoteNode;
import io.sluice.client.RemoteReplica;
import io.sluice.model.error.FencedException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.SluiceException;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.kv.KvChecksum;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Copies ranges of one table to nodes that do not have them, while statements read and change the table:
 *
 * <ol>
 *   <li>each source begins to capture the keys that commits change;
 *   <li>each range is copied page by page; a target that has a page already, from a copy that was interrupted, keeps
 *       it. The target's checksums must be those of the page;
 *   <li>captured keys get their present values on the targets, until few are left;
 *   <li>if a branch of a transaction that changes the table is in doubt at a source or a target, the copy fails;
 *   <li>an entry of the cluster's log freezes the table: its rows can be read but not changed;
 *   <li>when no prepared branch is left at the sources, the last captured keys are copied. The targets know of the
 *       freeze, too: they refuse other commands that would write or delete what was copied;
 *   <li>an entry sets the new places and thaws the table. It has no effect if the table was thawed before it.
 * </ol>
 *
 * <p>A range that moves gets its new replica in the place of the old one by the same entry. The table stays frozen
 * until the node that it leaves knows that. Then the KVs that it left behind are deleted there.
 *
 * <p>So no row is missed. Each write of a row needs all replicas of its range, among them the source. A key that no
 * commit has changed since step 1 was copied in step 2 as it is. One that was changed before step 5 is captured, and
 * its last value copied in step 6. Between steps 5 and 7 none is changed: the source refuses it. After step 7 the
 * source refuses transactions that know the old places. If a source, a target, the leader or this process dies before
 * step 7, the old places stay valid, and the leader thaws the table.
 */
final class TableCopy {
    /** Size of a page: a dozen are in the memory of two nodes and of this process at a time, at most. */
    private static final long PAGE_BYTES = 8L << 20;

    private static final long ALL_BYTES = Long.MAX_VALUE;

    /** Rounds of step 3. Each is shorter than the one before it, unless statements change rows faster than a copy. */
    private static final int CATCH_UP_ROUNDS = 20;

    private static final int FEW_KEYS = 2_000;

    private static final long OUTCOME_POLLS = 50;

    /** Ranges that an error names. */
    private static final int MOST_NAMED = 5;

    private final TableStatus table;
    private final RangeDirectory directory;
    private final List<ReplicaPlan.Copy> copies;
    private final Map<String, RemoteNode> nodes;
    private final Repair.Effects effects;
    private final TableFreeze freeze;
    private final Map<String, Source> sources = new LinkedHashMap<>();
    private final Map<String, RemoteReplica> targets = new LinkedHashMap<>();

    /** A node that ranges are copied from. */
    private static final class Source {
        final String node;
        final RemoteReplica replica;
        final UUID capture;
        long done;

        Source(String node, RemoteReplica replica) {
            this.node = node;
            this.replica = replica;
            capture = replica.capture().capture();
        }
    }

    /**
     * Creates a copy.
     *
     * @param copies what to copy; all of this table
     * @param nodes clients by node id
     */
    TableCopy(TableStatus table, List<ReplicaPlan.Copy> copies, Map<String, RemoteNode> nodes, Repair.Effects effects) {
        this.table = table;
        this.copies = copies;
        this.nodes = nodes;
        this.effects = effects;
        directory = table.directory();
        freeze = new TableFreeze(table, nodes, effects);
    }

    /**
     * Copies the ranges and makes their targets replicas.
     *
     * @param above the tables in which this one is interleaved, outermost first
     * @return the new places
     * @throws SluiceException if it failed; the places are as before, and a later copy goes on from what is there
     */
    RangeDirectory run(List<TableStatus> above) {
        for (ReplicaPlan.Copy copy : copies) {
            targets.computeIfAbsent(copy.target(), id -> begun(id, above));
        }
        for (ReplicaPlan.Copy copy : copies) {
            sources.computeIfAbsent(copy.source(), id -> new Source(id, replica(id, table)));
        }
        copies.forEach(copy -> writing(copy.target(), () -> copy(copy)));
        catchUp();
        return swap();
    }

    /** The import or the transaction that the copy must wait for, and what to do about it; null if there is none. */
    @Nullable
    String blocker() {
        return freeze.blocker(copies.stream()
                .flatMap(copy -> Stream.of(copy.source(), copy.target()))
                .distinct()
                .toList());
    }

    private RemoteReplica replica(String node, TableStatus of) {
        return freeze.client(node).replica(node, of, freeze.owner());
    }

    private RemoteReplica begun(String node, List<TableStatus> above) {
        for (TableStatus parent : above) {
            RemoteReplica there = replica(node, parent);
            there.begin();
            there.end();
        }
        RemoteReplica target = replica(node, table);
        target.begin();
        return target;
    }

    private void copy(ReplicaPlan.Copy copy) {
        RemoteReplica source = source(copy).replica;
        RemoteReplica target = target(copy);
        KeySpan span = directory.span(copy.range());
        // A target that has nothing yet needs no comparison.
        boolean compare = target.page(span, 1, true).count() > 0;
        while (Arrays.compareUnsigned(span.start(), span.end()) < 0) {
            byte[] next = compare ? equalUpTo(source, target, span) : span.start();
            if (Arrays.equals(next, span.start())) {
                next = send(copy, source, target, span);
            }
            span = new KeySpan(next, span.end());
        }
        effects.copied(copy);
    }

    /** Writes to a target. If another command has taken it over, the error names the ranges that it has lost. */
    private void writing(String target, Runnable work) {
        try {
            work.run();
        } catch (FencedException e) {
            List<Integer> lost = copies.stream()
                    .filter(copy -> copy.target().equals(target))
                    .map(ReplicaPlan.Copy::range)
                    .toList();
            String named = lost.stream().limit(MOST_NAMED).map(String::valueOf).collect(Collectors.joining(", "));
            int more = lost.size() - MOST_NAMED;
            throw new FencedException(
                    (lost.size() == 1 ? "range " : "ranges ") + named + (more > 0 ? " and " + more + " more" : "")
                            + ": " + e.getMessage(),
                    e);
        }
    }

    /** Compares the first page of a span; returns the page's end if the target has the same, or else its start. */
    private static byte[] equalUpTo(RemoteReplica source, RemoteReplica target, KeySpan span) {
        KvPage sums = source.page(span, PAGE_BYTES, true);
        KvPage there = target.page(new KeySpan(span.start(), sums.end()), ALL_BYTES, true);
        return there.end().length > 0
                        && Arrays.equals(there.end(), sums.end())
                        && there.sums().equals(sums.sums())
                ? sums.end()
                : span.start();
    }

    /** Copies the first page of a span; returns the page's end. */
    private byte[] send(ReplicaPlan.Copy copy, RemoteReplica source, RemoteReplica target, KeySpan span) {
        KvPage page = source.page(span, PAGE_BYTES, false);
        KeySpan bucket = new KeySpan(span.start(), page.end());
        effects.passing(page.bytes());
        List<KvChecksum> there = target.replace(bucket, page);
        if (!there.equals(page.sums())) {
            throw new OperationFailedException("table " + table.table().name() + ": node "
                    + effects.described(copy.target()) + " has other KVs in " + bucket
                    + " than those that were copied there; verify the table, and report this defect");
        }
        return page.end();
    }

    private Source source(ReplicaPlan.Copy copy) {
        return Objects.requireNonNull(sources.get(copy.source()));
    }

    private RemoteReplica target(ReplicaPlan.Copy copy) {
        return Objects.requireNonNull(targets.get(copy.target()));
    }

    private void catchUp() {
        int changed = Integer.MAX_VALUE;
        for (int round = 0; round < CATCH_UP_ROUNDS && changed > FEW_KEYS; round++) {
            changed = 0;
            for (Source source : sources.values()) {
                changed += drain(source);
            }
        }
    }

    /** Copies what was captured so far; returns the number of keys. */
    private int drain(Source source) {
        int changed = 0;
        for (ChangesBody batch = next(source, effects::passing);
                !batch.last();
                batch = next(source, effects::passing)) {
            changed += batch.keys().size();
        }
        return changed;
    }

    /** @param passing receives the number of bytes before they are sent */
    private ChangesBody next(Source source, LongConsumer passing) {
        ChangesBody batch = source.replica.changes(source.capture, source.done);
        Map<String, KvPage> pages = new LinkedHashMap<>();
        for (int i = 0; i < batch.keys().size(); i++) {
            byte[] key = batch.keys().get(i);
            byte[] value = batch.values().get(i);
            int range = directory.rangeOf(key);
            for (ReplicaPlan.Copy copy : copies) {
                if (copy.range() == range && copy.source().equals(source.node)) {
                    KvPage page = pages.computeIfAbsent(
                            copy.target(),
                            id -> new KvPage(new byte[0], List.of(), new ArrayList<>(), new ArrayList<>()));
                    page.keys().add(key);
                    page.values().add(value);
                }
            }
        }
        pages.forEach((target, page) -> {
            passing.accept(page.bytes());
            writing(target, () -> Objects.requireNonNull(targets.get(target)).apply(page));
        });
        source.done = batch.number();
        return batch;
    }

    private RangeDirectory swap() {
        RangeDirectory next = next();
        List<TableFreeze.Quiet> quiet = new ArrayList<>();
        sources.values()
                .forEach(source -> quiet.add(new TableFreeze.Quiet(
                        source.node,
                        // A limit of the rate would make the freeze longer.
                        () -> next(source, bytes -> {}))));
        copies.stream()
                .filter(copy -> copy.leaving() != null)
                .flatMap(copy -> directory.ranges().get(copy.range()).nodes().stream())
                .distinct()
                .filter(node -> !sources.containsKey(node) && !targets.containsKey(node))
                .forEach(node -> quiet.add(freeze.quiet(node)));
        // A target that knows of the freeze lets no other command begin between the end of the copy and the move.
        targets.keySet().stream()
                .filter(node -> !sources.containsKey(node))
                .forEach(node -> quiet.add(freeze.quiet(node)));
        freeze.run(quiet, frozen -> {
            targets.forEach((id, target) -> writing(id, target::end));
            move(next, frozen);
            return true;
        });
        return next;
    }

    private RangeDirectory next() {
        RangeDirectory next = directory;
        for (ReplicaPlan.Copy copy : copies) {
            String leaving = copy.leaving();
            String address = effects.address(copy.target());
            next = leaving == null
                    ? next.with(copy.range(), copy.target(), address)
                    : next.replacing(copy.range(), leaving, copy.target(), address);
        }
        return next.atEpoch(directory.epoch() + 1);
    }

    private void move(RangeDirectory next, Freeze frozen) {
        ClusterChange.Moved moved = ClusterChange.Moved.of(table.table().id(), next, published(next));
        List<String> leaving = copies.stream()
                .flatMap(copy -> Stream.ofNullable(copy.leaving()))
                .distinct()
                .toList();
        Freeze again = new Freeze(frozen.tableId(), frozen.owner(), next.epoch());
        try {
            effects.change(
                    leaving.isEmpty()
                            ? ClusterChange.moving(moved, frozen)
                            : ClusterChange.moving(moved, frozen, again));
        } catch (SluiceException e) {
            if (!tookPlace(next)) {
                throw e;
            }
        }
        if (!leaving.isEmpty()) {
            freeze.thawWhenKnown(again, leaving);
        }
    }

    /** The checksums of the table, with the changes that the nodes have counted which have no range of it any more. */
    private List<IndexChecksum> published(RangeDirectory next) {
        List<TableStatus> leaving = new ArrayList<>();
        for (String node : directory.nodes()) {
            if (next.nodes().contains(node)) {
                continue;
            }
            TableStatus there = now(node);
            if (there == null || there.directory().epoch() != directory.epoch()) {
                throw new OperationFailedException("table " + table.table().name() + ": node " + effects.described(node)
                        + " does not tell which changes it has counted");
            }
            leaving.add(there);
        }
        return table.merge(leaving, true).imported();
    }

    /** Whether the move has taken place, although the answer was lost. */
    private boolean tookPlace(RangeDirectory next) {
        for (int poll = 0; poll < OUTCOME_POLLS; poll++) {
            for (String id : sources.keySet()) {
                TableStatus now = now(id);
                if (now != null && now.directory().equals(next)) {
                    return true;
                }
            }
            TableFreeze.pause();
        }
        return false;
    }

    private @Nullable TableStatus now(String node) {
        try {
            RemoteNode client = nodes.get(node);
            return client == null ? null : client.table(table.table().name());
        } catch (SluiceException e) {
            return null;
        }
    }
}
