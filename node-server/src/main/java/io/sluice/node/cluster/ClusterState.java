package io.sluice.node.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.api.transaction.Outcome;
import io.sluice.api.wire.ClusterBody.Member;
import io.sluice.api.wire.ClusterBody.Suspect;
import io.sluice.api.wire.ClusterChange;
import io.sluice.api.wire.ClusterChange.Dropped;
import io.sluice.api.wire.ClusterChange.Freeze;
import io.sluice.api.wire.ClusterChange.Moved;
import io.sluice.api.wire.ClusterChange.Published;
import io.sluice.api.wire.ClusterChange.Suspicion;
import io.sluice.api.wire.JobsBody;
import io.sluice.api.wire.JobsChange;
import io.sluice.model.error.ChangeRefusedException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.sql.distributed.Decisions;
import java.io.IOException;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The state of a cluster, as the entries of the replicated log set it: members, tables, imports, {@link Decisions}
 * about transactions, and jobs of import services. Each entry is a {@link Decisions.Entry}, a {@link JobsChange} or a
 * {@link ClusterChange} in JSON; a change that contradicts an earlier one has no effect, on any node, and its answer
 * says why. A snapshot is the list of all members, the last place of each moved table, the nodes of each import that
 * left one out, the freezes, the publications, the drops, the suspicions, the decisions, and the jobs.
 * {@link ClusterStateMachine} applies entries on one thread; readers see concurrent maps.
 */
final class ClusterState {
    private static final ObjectMapper JSON = new ObjectMapper();

    private static final String SEPARATOR = ",";

    /**
     * Version of the entries. One without the member {@value #VERSION_MEMBER} has version 1. A node applies none of a
     * later version, nor one with members that it does not know.
     */
    private static final int VERSION = 1;

    private static final String VERSION_MEMBER = "version";

    private static final String DROPPED = "the table was dropped meanwhile";

    /** Beginning of the refusal of a change that may take effect when another command ends its freeze. */
    private static final String FROZEN = "frozen: ";

    /** A snapshot in JSON. */
    private record Stored(
            List<Member> members,
            List<Moved> tables,
            List<String> removed,
            @Nullable List<Freeze> frozen,
            @Nullable Map<Integer, Long> movedAt,
            @Nullable List<Moved> imports,
            @Nullable List<Dropped> dropped,
            @Nullable List<Suspect> suspects,
            @Nullable List<Published> published,
            Decisions.@Nullable Stored decisions,
            @Nullable JobsBody jobs) {}

    private final Map<String, Member> members = new ConcurrentHashMap<>();
    private final Map<Integer, Moved> tables = new ConcurrentHashMap<>();
    /** By table, the last nodes of an import that left one out. Nodes that come back late undo it by this. */
    private final Map<Integer, Moved> imports = new ConcurrentHashMap<>();
    /** By table, the index of the entry that moved it last. Part of the snapshot, since refusals depend on it. */
    private final Map<Integer, Long> movedAt = new ConcurrentHashMap<>();

    private final Set<String> removed = ConcurrentHashMap.newKeySet();
    private final Map<Integer, Freeze> frozen = new ConcurrentHashMap<>();
    /** All dropped tables, by id: a node that comes back late deletes its part by this. Some 60 bytes each. */
    private final Map<Integer, Dropped> dropped = new ConcurrentHashMap<>();

    /** By table, the last publication, until it is dropped. A node that comes back late publishes its part by this. */
    private final Map<Integer, Published> published = new ConcurrentHashMap<>();

    /** By node, the members that may be lost. */
    private final Map<String, Suspect> suspects = new ConcurrentHashMap<>();

    private final Decisions decisions = new Decisions(removed::contains);
    private final ServiceJobs jobs = new ServiceJobs();

    private final Consumer<Moved> moved;
    private final Frozen freezing;
    private final Consumer<Dropped> dropping;
    private final Consumer<Published> publishing;
    /** Receives which tables are frozen, durably. */
    @FunctionalInterface
    interface Frozen {
        /**
         * Sets them.
         *
         * @param index index of the entry; one that is applied again changes nothing
         * @param owners owners of the freezes by table id
         */
        void set(long index, Map<Integer, String> owners);
    }

    /**
     * Creates an empty state.
     *
     * @param moved receives each moved table, durably; it may get one again
     * @param dropping receives each dropped table, durably; it may get one again
     * @param publishing receives each published table, durably; it may get one again
     */
    ClusterState(Consumer<Moved> moved, Frozen freezing, Consumer<Dropped> dropping, Consumer<Published> publishing) {
        this.moved = moved;
        this.freezing = freezing;
        this.dropping = dropping;
        this.publishing = publishing;
    }

    Decisions decisions() {
        return decisions;
    }

    ServiceJobs jobs() {
        return jobs;
    }

    List<Freeze> frozen() {
        return List.copyOf(frozen.values());
    }

    /** The members that may be lost. */
    List<Suspect> suspects() {
        return List.copyOf(suspects.values());
    }

    /** The suspicion of a member; null if there is none. */
    @Nullable
    Suspect suspect(String node) {
        return suspects.get(node);
    }

    /** The members, by name. */
    List<Member> members() {
        return members.values().stream()
                .sorted(Comparator.comparing(Member::name))
                .toList();
    }

    /** Whether a store was a member and was removed; it must not come back, since its tables are outdated. */
    boolean wasRemoved(String id) {
        return removed.contains(id);
    }

    boolean dropped(int tableId) {
        return dropped.containsKey(tableId);
    }

    /** The last import that has published a table or added rows to it; null if there is none. */
    @Nullable
    UUID publisher(int tableId) {
        Published last = published.get(tableId);
        return last == null ? null : last.importId();
    }

    static byte[] entry(ClusterChange change) throws IOException {
        return JSON.writeValueAsBytes(change);
    }

    static byte[] entry(JobsChange change) throws IOException {
        return JSON.writeValueAsBytes(change);
    }

    static byte[] entry(Decisions.Entry decisions) throws IOException {
        return JSON.writeValueAsBytes(decisions);
    }

    /** The outcomes in the answer to an entry of decisions. */
    static List<Outcome> outcomes(String answer) {
        return Stream.of(answer.split(SEPARATOR, -1)).map(Outcome::of).toList();
    }

    /** The refusal in the answer to a change; null: it has an effect. */
    static @Nullable ChangeRefusedException refused(String answer) {
        boolean frozen = answer.startsWith(FROZEN);
        String why = frozen ? answer.substring(FROZEN.length()) : answer;
        return why.isEmpty() ? null : new ChangeRefusedException("the cluster was not changed: " + why, frozen);
    }

    /** Why an entry has no effect; empty: it has one. */
    private String refusal(ClusterChange change) {
        for (Freeze freeze : change.frozen()) {
            Freeze held = frozen.get(freeze.tableId());
            Moved known = tables.get(freeze.tableId());
            if (dropped.containsKey(freeze.tableId())) {
                return DROPPED;
            }
            if (held != null && change.thawed().contains(held) && change.moves(freeze)) {
                continue;
            }
            if (held != null && !held.equals(freeze)) {
                return FROZEN + Freeze.another(held.owner()) + " has frozen the table; try again in some seconds";
            }
            if (known != null && known.directory().epoch() != freeze.epoch()) {
                return "the table's ranges were moved since they were listed; try again";
            }
        }
        for (Dropped table : change.dropped()) {
            Freeze held = frozen.get(table.tableId());
            if (!dropped.containsKey(table.tableId())
                    && (held == null || !change.thawed().contains(held))) {
                return "the table was given free for changes before it was dropped; drop it again";
            }
        }
        for (Published table : change.published()) {
            Published known = published.get(table.tableId());
            if (dropped.containsKey(table.tableId())) {
                return DROPPED;
            }
            if (known != null && known.equals(table)) {
                // Its answer was lost.
                return "";
            }
            boolean append = change.tables().stream().anyMatch(moved -> moved.tableId() == table.tableId());
            if (known != null && !append) {
                return "the table was published by another import";
            }
        }
        if (!change.removed().isEmpty() && removed.containsAll(change.removed())) {
            return "";
        }
        String unwanted = refusalOfMembers(change);
        if (!unwanted.isEmpty()) {
            return unwanted;
        }
        String unfounded = refusal(change.suspicion());
        if (!unfounded.isEmpty()) {
            return unfounded;
        }
        for (Moved table : change.tables()) {
            String why = refusal(table, change);
            if (!why.isEmpty()) {
                return why;
            }
        }
        Set<Integer> listed = change.tables().stream().map(Moved::tableId).collect(Collectors.toSet());
        for (Moved known : tables.values()) {
            // One that the author could have seen is not listed because it was dropped.
            boolean unseen = movedAt.getOrDefault(known.tableId(), 0L) > change.seen();
            if (unseen && !listed.contains(known.tableId()) && hasAny(known, change.removed())) {
                return "ranges of a table were moved to the node since its tables were listed; try again";
            }
        }
        return "";
    }

    /**
     * Why a change of the members is refused; empty: it is not. The leader asks before it writes the entry, and another
     * one may have changed the members before the entry came.
     */
    String refusalOfMembers(ClusterChange change) {
        Member added = change.added();
        if (added != null) {
            for (Member other : members.values()) {
                if (other.name().equals(added.name()) && !other.id().equals(added.id())) {
                    return "the cluster has a node " + other.name() + " already, with another store (" + other.id()
                            + "); a new or wiped store needs another --name";
                }
            }
            return wasRemoved(added.id()) ? ClusterWatch.removedMessage(added.name()) : "";
        }
        return !change.removed().isEmpty() && change.removed().containsAll(members.keySet())
                ? "these are all nodes of the cluster; at least one must stay"
                : "";
    }

    private String refusal(@Nullable Suspicion suspicion) {
        if (suspicion == null) {
            return "";
        }
        if (!members.containsKey(suspicion.node())) {
            return "the cluster has no such node";
        }
        Suspect known = suspects.get(suspicion.node());
        boolean stands = known != null && known.token().equals(suspicion.token());
        return stands || suspicion.step() != Suspicion.Step.CONFIRMED
                ? ""
                : "the node is back; its tables stay where they are";
    }

    private String refusal(Moved table, ClusterChange change) {
        if (dropped.containsKey(table.tableId())) {
            return DROPPED;
        }
        if (table.importId() != null) {
            return refusalOfImport(table);
        }
        Freeze held = frozen.get(table.tableId());
        if (held != null && !change.thawed().contains(held)) {
            return FROZEN + "ranges of a table are being moved; try again in some seconds";
        }
        Freeze thawed = change.thawed().stream()
                .filter(freeze -> freeze.tableId() == table.tableId())
                .findFirst()
                .orElse(null);
        long epoch = table.directory().epoch();
        if (thawed != null && (held == null || epoch != thawed.epoch() + 1)) {
            return "the copy took too long, and the table was given free for changes; copy it again";
        }
        if (thawed != null && hasAny(table, removed)) {
            return "a node to which the table's ranges were copied was removed";
        }
        Moved known = tables.get(table.tableId());
        boolean late = known != null && known.directory().epoch() >= epoch;
        return late && (!change.removed().isEmpty() || change.suspicion() != null)
                ? "ranges of a table were moved since they were listed; try again"
                : "";
    }

    /**
     * An entry that is repeated, since its answer was lost, is no other one. An import does not know the nodes of its
     * published table when the cluster has moved that since.
     */
    private String refusalOfImport(Moved next) {
        Moved known = imports.get(next.tableId());
        boolean movedSince = published.containsKey(next.tableId()) && tables.containsKey(next.tableId());
        if (movedSince && !next.equals(known)) {
            return "the table is published, and its ranges were moved since; the cluster goes on without lost nodes";
        }
        return known == null
                        || known.equals(next)
                        || known.directory().epoch() < next.directory().epoch()
                ? ""
                : "another attempt has changed the nodes of the import; resume it";
    }

    private static boolean hasAny(Moved table, Collection<String> nodes) {
        return table.directory().toDirectory().nodes().stream().anyMatch(nodes::contains);
    }

    /** Applies the change of an entry; says why it has no effect, or empty if it has one. */
    String apply(long index, ClusterChange change) {
        String refusal = refusal(change);
        if (!refusal.isEmpty()) {
            return refusal;
        }
        change.published().forEach(this::publish);
        change.tables().forEach(table -> move(index, table));
        change.dropped().forEach(this::drop);
        if (!change.frozen().isEmpty() || !change.thawed().isEmpty()) {
            Map<Integer, Freeze> next = new HashMap<>(frozen);
            change.frozen().forEach(freeze -> next.put(freeze.tableId(), freeze));
            change.thawed().forEach(freeze -> next.remove(freeze.tableId(), freeze));
            setFrozen(index, next);
        }
        Member added = change.added();
        if (added != null) {
            members.put(added.id(), added);
        }
        change.removed().forEach(leaving -> {
            members.remove(leaving);
            removed.add(leaving);
            suspects.remove(leaving);
        });
        Suspicion suspicion = change.suspicion();
        if (suspicion != null) {
            suspects.compute(suspicion.node(), (node, known) -> suspicion.after(known));
        }
        if (!change.removed().isEmpty()) {
            decisions.nodesRemoved();
        }
        return "";
    }

    private void setFrozen(long index, Map<Integer, Freeze> next) {
        freezing.set(index, next.values().stream().collect(Collectors.toMap(Freeze::tableId, Freeze::owner)));
        replace(frozen, next);
    }

    private void publish(Published table) {
        publishing.accept(table);
        published.put(table.tableId(), table);
    }

    private void drop(Dropped table) {
        int id = table.tableId();
        // First: a copy that finds no drop is removed by the next call.
        dropped.put(id, table);
        dropping.accept(table);
        tables.remove(id);
        imports.remove(id);
        published.remove(id);
        movedAt.remove(id);
    }

    private void move(long index, Moved table) {
        if (dropped.containsKey(table.tableId())) {
            // A removal that is repeated, since its answer was lost.
            return;
        }
        if (table.importId() != null) {
            moved.accept(table);
            imports.put(table.tableId(), table);
            return;
        }
        Moved known = tables.get(table.tableId());
        if (known == null || known.directory().epoch() < table.directory().epoch()) {
            moved.accept(table);
            tables.put(table.tableId(), table);
            movedAt.put(table.tableId(), index);
        }
    }

    /** Forgets all of it: the log is applied from its start. */
    void clear() {
        for (Map<?, ?> map : List.of(members, tables, imports, movedAt, frozen, dropped, published, suspects)) {
            map.clear();
        }
        removed.clear();
        decisions.restore(null);
        jobs.restore(null);
    }

    /**
     * Takes over a snapshot of the log through an entry. Readers see what was known before until then, but never
     * nothing: a node that is suspected would serve rows.
     */
    void restore(byte[] snapshot, long index) throws IOException {
        Stored read = JSON.readValue(snapshot, Stored.class);
        Map<Integer, Dropped> gone = byKey(orNone(read.dropped()), Dropped::tableId);
        dropped.putAll(gone);
        orNone(read.imports()).forEach(moved);
        // Before the places of published tables, which a node without the table ignores.
        orNone(read.published()).forEach(publishing);
        read.tables().forEach(moved);
        gone.values().forEach(dropping);
        replace(members, byKey(read.members(), Member::id));
        replace(tables, byKey(read.tables(), Moved::tableId));
        replace(imports, byKey(orNone(read.imports()), Moved::tableId));
        replace(movedAt, read.movedAt() == null ? Map.of() : read.movedAt());
        replace(published, byKey(orNone(read.published()), Published::tableId));
        dropped.keySet().retainAll(gone.keySet());
        removed.addAll(read.removed());
        removed.retainAll(read.removed());
        replace(suspects, byKey(orNone(read.suspects()), Suspect::node));
        decisions.restore(read.decisions());
        jobs.restore(read.jobs());
        setFrozen(index, byKey(orNone(read.frozen()), Freeze::tableId));
    }

    private static <K, V> Map<K, V> byKey(List<V> all, Function<V, K> key) {
        return all.stream().collect(Collectors.toMap(key, one -> one));
    }

    private static <K, V> void replace(Map<K, V> map, Map<K, V> next) {
        map.putAll(next);
        map.keySet().retainAll(next.keySet());
    }

    /** The elements of a list that an earlier build did not store. */
    private static <T> List<T> orNone(@Nullable List<T> stored) {
        return stored == null ? List.of() : stored;
    }

    /** All of it. */
    byte[] snapshot() throws IOException {
        return JSON.writeValueAsBytes(new Stored(
                members(),
                List.copyOf(tables.values()),
                List.copyOf(removed),
                frozen(),
                Map.copyOf(movedAt),
                List.copyOf(imports.values()),
                List.copyOf(dropped.values()),
                suspects(),
                List.copyOf(published.values()),
                decisions.stored(),
                jobs.all()));
    }

    /** Applies an entry; returns its answer. */
    String apply(long index, byte[] entry) throws IOException {
        JsonNode read = JSON.readTree(entry);
        int version = read.path(VERSION_MEMBER).asInt(VERSION);
        if (version > VERSION) {
            throw new OperationFailedException("it has format version " + version + ", and this node knows up to "
                    + VERSION + "; upgrade the node");
        }
        if (read.has(JobsChange.MEMBER)) {
            return jobs.apply(JSON.treeToValue(read, JobsChange.class));
        }
        if (!read.has(Decisions.Entry.MEMBER)) {
            return apply(index, JSON.treeToValue(read, ClusterChange.class));
        }
        return decisions.apply(index, JSON.treeToValue(read, Decisions.Entry.class)).stream()
                .map(Outcome::text)
                .collect(Collectors.joining(SEPARATOR));
    }
}
