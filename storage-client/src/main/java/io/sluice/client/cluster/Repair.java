package io.sluice.client.cluster;

import io.sluice.api.node.RangeDirectory;
import io.sluice.api.node.TableStatus;
import io.sluice.api.wire.ClusterChange;
import io.sluice.client.RemoteNode;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.ChangeRefusedException;
import io.sluice.model.error.FencedException;
import io.sluice.model.error.NodeUnreachableException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.SluiceException;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.schema.IndexDef;
import io.sluice.model.thread.Backoff;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Gives ranges that are short of replicas new ones, table by table. What fails is planned again, with the nodes that
 * answer then. A repair moves each table as a whole, in one entry of the cluster's log.
 */
public final class Repair {
    /** Copies of a table that may fail: nodes may be killed meanwhile. */
    private static final int TRIES = 5;

    /** Time for all nodes that answer to apply a drop: one without contact serves no rows after 5 s. */
    private static final long DROP_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Wait for another command: four of them are longer than the 30 s after which an abandoned freeze ends. */
    private static final long OTHER_MILLIS = 10_000;

    private final Map<String, RemoteNode> nodes;
    private final Effects effects;

    /** The effects of a repair, used by one thread. */
    public interface Effects {
        /** The command without the program's name, such as {@code cluster repair}: run again, it goes on. */
        String command();

        /** Waits before another try. */
        default void pause(long millis) {
            Backoff.sleep(millis, "waiting for another command on the table");
        }

        /** Replicates a change of the cluster. */
        void change(ClusterChange change);

        /** Called before bytes are sent or compared outside of a freeze; waits if they come too fast. */
        void passing(long bytes);

        /** Called when a range is copied. */
        void copied(ReplicaPlan.Copy copy);

        /** Reports something to the user. */
        void log(String line);

        /** The address of a node, by its id, for messages. */
        String address(String node);

        /** The name and address of a node, by its id. */
        String described(String node);
    }

    /**
     * The result of a repair.
     *
     * @param copied number of replicas that were copied, by table
     * @param unrepairable number of ranges that stay short, by table
     * @param blocked by table, the import or the transaction that its copy must wait for, and what to do
     */
    public record Outcome(
            Map<String, Integer> copied, Map<String, Integer> unrepairable, Map<String, String> blocked) {}

    /**
     * The result of a comparison of a table's replicas.
     *
     * @param table its name
     * @param compared number of ranges of which at least two replicas were compared
     * @param alone number of ranges with a single replica that answers
     * @param partly number of compared ranges with a replica that does not answer
     * @param differences a sentence for each page of a replica that differs
     * @param whole whether all compared replicas are equal now
     */
    public record Verified(
            String table, int compared, int alone, int partly, List<String> differences, boolean whole) {}

    /**
     * Creates a repair.
     *
     * @param nodes clients of all members, by node id; some may be down. The caller closes them
     */
    public Repair(Map<String, RemoteNode> nodes, Effects effects) {
        this.nodes = Map.copyOf(nodes);
        this.effects = effects;
    }

    /**
     * Repairs tables.
     *
     * @param only name of the table to repair; null: all
     * @param replicas wanted number of replicas; 0: as the tables say
     * @param preferred id of the node that gets missing replicas first; null: those with the fewest bytes do
     * @param leaving id of the node that is to be removed afterwards, so that its replicas do not count; null: none.
     *     Nothing is copied if the others cannot take all of its replicas
     * @throws BadInputException if there is no such table, or a range has more replicas than are wanted
     */
    public Outcome run(@Nullable String only, int replicas, @Nullable String preferred, @Nullable String leaving) {
        Map<String, Integer> copied = new TreeMap<>();
        Map<String, Integer> unrepairable = new TreeMap<>();
        for (int tries = 1; ; tries++) {
            Failure failure = null;
            Map<String, RemoteNode> up = up();
            Map<String, TableStatus> tables = tables(up, only, replicas);
            ReplicaPlan.Plan plan = ReplicaPlan.repair(
                    up.keySet(), tables.values().stream().map(Repair::ranges).toList(), preferred, leaving);
            Map<String, String> blocked = new TreeMap<>();
            unrepairable.clear();
            unrepairable.putAll(plan.unrepairable());
            if (leaving != null && !unrepairable.isEmpty()) {
                // The node stays, so the copies would be surplus.
                return new Outcome(copied, unrepairable, blocked);
            }
            Map<String, List<ReplicaPlan.Copy>> byTable = new LinkedHashMap<>();
            plan.copies().forEach(copy -> byTable.computeIfAbsent(copy.table(), none -> new ArrayList<>())
                    .add(copy));
            for (Map.Entry<String, List<ReplicaPlan.Copy>> each : byTable.entrySet()) {
                try {
                    TableStatus table = Objects.requireNonNull(tables.get(each.getKey()));
                    TableCopy copy = new TableCopy(table, each.getValue(), up, effects);
                    String blocker = copy.blocker();
                    if (blocker == null) {
                        RangeDirectory unused = copy.run(above(table, up));
                        copied.merge(each.getKey(), each.getValue().size(), Integer::sum);
                    } else {
                        blocked.put(each.getKey(), blocker);
                    }
                } catch (SluiceException e) {
                    if (only != null || !passOver(Objects.requireNonNull(tables.get(each.getKey())), up, e)) {
                        failure = failed(each.getKey(), e);
                    }
                }
            }
            if (failure == null) {
                return new Outcome(copied, unrepairable, blocked);
            }
            tryAgain(failure, tries);
        }
    }

    /**
     * Passes over a table that was dropped since it was listed. Waits while only some nodes have applied the drop.
     *
     * @param failure what the drop may have caused
     * @return whether it was dropped; it is reported then
     */
    boolean passOver(TableStatus table, Map<String, RemoteNode> up, SluiceException failure) {
        if (failure instanceof NodeUnreachableException) {
            return false;
        }
        long end = System.nanoTime() + DROP_NANOS;
        while (System.nanoTime() - end < 0) {
            Set<Boolean> present = presence(table, up);
            if (!present.contains(false)) {
                return false;
            }
            if (!present.contains(true)) {
                effects.log("table " + table.table().name() + ": it was dropped meanwhile, and is passed over");
                return true;
            }
            TableFreeze.pause();
        }
        return false;
    }

    /** Whether nodes with a range of a table have it, of those that answer. */
    private static Set<Boolean> presence(TableStatus table, Map<String, RemoteNode> up) {
        Set<Boolean> presence = new HashSet<>();
        for (String id : table.directory().nodes()) {
            RemoteNode node = up.get(id);
            if (node != null) {
                try {
                    TableStatus now = node.table(table.table().name());
                    presence.add(
                            now != null && now.table().id() == table.table().id());
                } catch (NodeUnreachableException e) {
                    // The other nodes tell.
                }
            }
        }
        return presence;
    }

    /**
     * Writes a change that goes by listed tables. Lists them again if the log refuses it: a table was dropped or moved
     * meanwhile.
     *
     * @param listed lists the tables, and returns the change; null: there is none
     * @return what was written
     */
    public @Nullable ClusterChange write(Supplier<@Nullable ClusterChange> listed) {
        for (int tries = 1; ; tries++) {
            ClusterChange change = listed.get();
            if (change == null) {
                return null;
            }
            try {
                effects.change(change);
                return change;
            } catch (ChangeRefusedException e) {
                if (tries == TRIES) {
                    throw e;
                }
                effects.log("the tables are listed again: " + e.getMessage());
                if (e.frozen()) {
                    effects.pause(OTHER_MILLIS);
                }
            }
        }
    }

    /** The failure of the work on a table. */
    record Failure(String table, SluiceException cause) {}

    /** Reports a failure before other tables, or another try. */
    Failure failed(String table, SluiceException cause) {
        effects.log("table " + table + ": " + cause.getMessage());
        return new Failure(table, cause);
    }

    /**
     * Gives up after some tries, or waits if another command works on the table. Other failures need only a new plan.
     *
     * @throws SluiceException that names the table and the command to run again
     */
    void tryAgain(Failure failure, int tries) {
        SluiceException cause = failure.cause();
        if (tries == TRIES) {
            String message = "table " + failure.table() + ": " + cause.getMessage() + "; run 'sluice "
                    + effects.command() + "' again: it goes on where this run has ended";
            throw cause instanceof BadInputException
                    ? new BadInputException(message, cause)
                    : new OperationFailedException(message, cause);
        }
        boolean frozen = cause instanceof ChangeRefusedException refused && refused.frozen();
        if (frozen || cause instanceof FencedException) {
            effects.log("trying again in " + OTHER_MILLIS / 1_000 + " s");
            effects.pause(OTHER_MILLIS);
        }
    }

    /**
     * Compares the replicas of tables.
     *
     * @param only name of the table to verify; null: all
     * @param repair whether wrong replicas get the KVs of the right one
     * @param trusted id of a node whose replicas are right; null: those are that most nodes have
     * @throws BadInputException if there is no such table
     */
    public List<Verified> verify(@Nullable String only, boolean repair, @Nullable String trusted) {
        Map<String, RemoteNode> up = up();
        List<Verified> verified = new ArrayList<>();
        for (TableStatus table : tables(up, only, 0).values()) {
            Verify.Result result;
            try {
                result = verify(table, up, repair, trusted);
            } catch (SluiceException e) {
                if (only != null || !passOver(table, up, e)) {
                    throw e;
                }
                continue;
            }
            verified.add(new Verified(
                    table.table().name(),
                    result.compared(),
                    result.alone(),
                    result.partly(),
                    result.differences().stream().map(this::sentence).toList(),
                    result.differences().stream().allMatch(Verify.Difference::repaired)));
        }
        return verified;
    }

    /** Compares the replicas of one table, again if another command has changed its ranges meanwhile. */
    private Verify.Result verify(
            TableStatus listed, Map<String, RemoteNode> up, boolean repair, @Nullable String trusted) {
        TableStatus table = listed;
        for (int tries = 1; ; tries++) {
            try {
                return new Verify(table, up, effects, repair, trusted).run();
            } catch (ChangeRefusedException e) {
                String name = table.table().name();
                tryAgain(failed(name, e), tries);
                table = Objects.requireNonNullElse(tables(up, name, 0).get(name), table);
            }
        }
    }

    private String sentence(Verify.Difference difference) {
        return "range " + difference.range() + " on node " + effects.described(difference.node()) + ": "
                + difference.kvs()
                + (difference.repaired()
                        ? "; repaired"
                        : difference.undecided()
                                ? "; it is not known which replica is right, name it with --trust"
                                : "");
    }

    /** The nodes that answer. */
    Map<String, RemoteNode> up() {
        Map<String, RemoteNode> up = new TreeMap<>();
        nodes.forEach((id, node) -> {
            try {
                if (node.status().id().equals(id)) {
                    up.put(id, node);
                }
            } catch (NodeUnreachableException e) {
                effects.log("node " + effects.described(id) + " does not answer; it is left out");
            } catch (SluiceException e) {
                effects.log("node " + effects.described(id) + " is left out: " + e.getMessage());
            }
        });
        return up;
    }

    /**
     * The tables with ranges on several nodes, in the order of their ids: those above before those interleaved.
     *
     * @param up nodes that have answered; those that do not answer any more are removed
     */
    Map<String, TableStatus> tables(Map<String, RemoteNode> up, @Nullable String only, int replicas) {
        Map<Member, List<TableStatus>> answers = new LinkedHashMap<>();
        for (Map.Entry<String, RemoteNode> node : new TreeMap<>(up).entrySet()) {
            String id = node.getKey();
            Member member = new Member(effects.address(id), effects.described(id), node.getValue(), id);
            try {
                answers.put(member, node.getValue().tables());
            } catch (NodeUnreachableException e) {
                effects.log("node " + effects.described(id) + " does not answer any more; it is left out");
                up.remove(id);
            }
        }
        List<TableStatus> found = TableView.all(answers, Map.of(), true).stream()
                .map(TableView::status)
                .filter(table -> only == null || table.table().name().equals(only))
                .toList();
        if (only != null && found.isEmpty()) {
            throw new BadInputException("there is no table " + only);
        }
        if (replicas > 1) {
            for (TableStatus table : found) {
                if (table.directory().ranges().isEmpty()) {
                    withoutRanges(table.table().name(), only != null);
                }
            }
        }
        Map<String, TableStatus> tables = new LinkedHashMap<>();
        found.stream()
                .filter(table -> !table.directory().ranges().isEmpty())
                .sorted(Comparator.comparingInt(table -> table.table().id()))
                .forEach(table -> tables.put(table.table().name(), wanting(table, replicas)));
        return tables;
    }

    /** Tells of a table that its node had before it formed or joined the cluster. */
    private void withoutRanges(String table, boolean named) {
        String why = "table " + table + " is on one node only, without key ranges, so it can have no replicas;"
                + " back it up, drop it, and restore it with --replicas";
        if (named) {
            throw new BadInputException(why);
        }
        effects.log(why);
    }

    private static TableStatus wanting(TableStatus table, int replicas) {
        int most = table.directory().ranges().stream()
                .mapToInt(range -> range.nodes().size())
                .max()
                .orElse(0);
        if (replicas != 0 && replicas < most) {
            throw new BadInputException("table " + table.table().name() + " has key ranges with " + most
                    + " replicas, and repair removes none: --replicas must be at least " + most
                    + ", or name another table with --table");
        }
        return replicas == 0 ? table : at(table, table.directory().wanting(replicas));
    }

    static TableStatus at(TableStatus table, RangeDirectory directory) {
        return new TableStatus(table.table(), table.imported(), table.publishedAt(), directory, table.published());
    }

    /** The ranges of a table count as equal: the nodes know the table's bytes only. */
    private static ReplicaPlan.Ranges ranges(TableStatus table) {
        RangeDirectory directory = table.directory();
        long bytes = table.imported().stream()
                .map(index -> index.sum())
                .mapToLong(KvChecksum::bytes)
                .sum();
        return new ReplicaPlan.Ranges(
                table.table().name(),
                directory,
                Math.max(1, bytes / directory.ranges().size()));
    }

    /** The tables in which a table is interleaved, outermost first. */
    static List<TableStatus> above(TableStatus table, Map<String, RemoteNode> up) {
        Map<String, TableStatus> known = new HashMap<>();
        up.values().forEach(node -> node.tables()
                .forEach(one -> known.put(one.table().name(), one)));
        List<TableStatus> above = new ArrayList<>();
        for (IndexDef index : table.table().def().indexes()) {
            IndexDef.Interleave parent = index.interleave();
            TableStatus next = parent == null ? null : known.get(parent.parent());
            if (next != null && !above.contains(next)) {
                above.addAll(0, above(next, up));
                above.add(next);
            }
        }
        return above;
    }
}
