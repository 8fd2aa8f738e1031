package io.sluice.api.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.RangeDirectory;
import io.sluice.api.wire.ClusterBody.Member;
import io.sluice.api.wire.ClusterBody.Suspect;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One change of a cluster: the body of {@code POST /v1/cluster/changes}, and an entry of the replicated log. All of it
 * takes effect at once.
 *
 * @param added member to add, or to replace if its id is known; null: none
 * @param removed ids of members to remove
 * @param tables new places of tables
 * @param frozen tables whose rows no statement may change from now on, while their last changes are copied
 * @param thawed tables whose rows statements may change again
 * @param dropped tables that are dropped
 * @param published tables that are visible from now on
 * @param suspicion a step of the suspicion of a member; null: none
 * @param seen index of an entry of the log that its author had seen before it listed the tables: a removal is refused
 *     if ranges were moved to the node by a later one
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record ClusterChange(
        @Nullable Member added,
        List<String> removed,
        List<Moved> tables,
        List<Freeze> frozen,
        List<Freeze> thawed,
        List<Dropped> dropped,
        List<Published> published,
        @Nullable Suspicion suspicion,
        long seen) {
    public ClusterChange {
        removed = removed == null ? List.of() : List.copyOf(removed);
        tables = tables == null ? List.of() : List.copyOf(tables);
        frozen = frozen == null ? List.of() : List.copyOf(frozen);
        thawed = thawed == null ? List.of() : List.copyOf(thawed);
        dropped = dropped == null ? List.of() : List.copyOf(dropped);
        published = published == null ? List.of() : List.copyOf(published);
    }

    private ClusterChange(List<Moved> tables, List<Freeze> frozen, List<Freeze> thawed, List<Dropped> dropped) {
        this(null, List.of(), tables, frozen, thawed, dropped, List.of(), null, 0);
    }

    public static ClusterChange adding(Member member) {
        return new ClusterChange(member, List.of(), List.of(), List.of(), List.of(), List.of(), List.of(), null, 0);
    }

    /** A removal of members, with the places of their tables on the other nodes. */
    public static ClusterChange removing(Collection<String> members, List<Moved> tables, long seen) {
        return new ClusterChange(
                null, List.copyOf(members), tables, List.of(), List.of(), List.of(), List.of(), null, seen);
    }

    public static ClusterChange freezing(Freeze freeze) {
        return new ClusterChange(List.of(), List.of(freeze), List.of(), List.of());
    }

    public static ClusterChange thawing(Freeze freeze) {
        return new ClusterChange(List.of(), List.of(), List.of(freeze), List.of());
    }

    /** A change of the nodes that take part in an import. */
    public static ClusterChange moving(Moved ofImport) {
        return new ClusterChange(List.of(ofImport), List.of(), List.of(), List.of());
    }

    /** A change of a frozen table's places, which thaws it. */
    public static ClusterChange moving(Moved table, Freeze freeze) {
        return new ClusterChange(List.of(table), List.of(), List.of(freeze), List.of());
    }

    /** A change of a frozen table's places, which freezes it again at their epoch. */
    public static ClusterChange moving(Moved table, Freeze freeze, Freeze next) {
        return new ClusterChange(List.of(table), List.of(next), List.of(freeze), List.of());
    }

    /** A drop of a frozen table, which ends its freeze. */
    public static ClusterChange dropping(Dropped table, Freeze freeze) {
        return new ClusterChange(List.of(), List.of(), List.of(freeze), List.of(table));
    }

    /** The publication of a table on all nodes of its import. */
    public static ClusterChange publishing(Published table) {
        return new ClusterChange(null, List.of(), List.of(), List.of(), List.of(), List.of(), List.of(table), null, 0);
    }

    /** The publication of an append on all nodes with ranges of its table, which ends the freeze of the table. */
    public static ClusterChange appending(Published append, Moved table, Freeze freeze) {
        return new ClusterChange(
                null, List.of(), List.of(table), List.of(), List.of(freeze), List.of(), List.of(append), null, 0);
    }

    /** A new suspicion that a member is lost. */
    public static ClusterChange suspecting(String node) {
        String token = UUID.randomUUID().toString();
        return suspicion(new Suspicion(node, token, Suspicion.Step.RAISED), List.of());
    }

    /** The end of a suspicion, by the member itself. */
    public static ClusterChange clearing(String node, String token) {
        return suspicion(new Suspicion(node, token, Suspicion.Step.CLEARED), List.of());
    }

    /** The decision that a suspected member is lost, with the places of tables on the others. */
    public static ClusterChange leavingOut(String node, String token, List<Moved> tables) {
        return suspicion(new Suspicion(node, token, Suspicion.Step.CONFIRMED), tables);
    }

    /** Whether this moves a table to the epoch of its freeze. */
    public boolean moves(Freeze freeze) {
        return tables.stream()
                .anyMatch(table ->
                        table.tableId() == freeze.tableId() && table.directory().epoch() == freeze.epoch());
    }

    private static ClusterChange suspicion(Suspicion suspicion, List<Moved> tables) {
        return new ClusterChange(null, List.of(), tables, List.of(), List.of(), List.of(), List.of(), suspicion, 0);
    }

    /**
     * A suspicion that a member is lost:
     *
     * <pre>
     *             RAISED                    CONFIRMED
     *   trusted  -------->  suspected  ---------------->  left out
     *      ^                    |                            |
     *      +----- CLEARED ------+--------- CLEARED ----------+
     * </pre>
     *
     * <p>A suspected member serves no rows until it has cleared the suspicion. One that does not learn of it has no
     * contact to most members, and serves none for that reason. So the leader can confirm it after some seconds.
     *
     * @param node the member's id
     * @param token random id of the suspicion: a confirmation of one that was cleared has no effect
     */
    public record Suspicion(String node, String token, Step step) {
        public Suspicion {
            Object unused = Wire.required("node", node);
            unused = Wire.required("token", token);
            unused = Wire.required("step", step);
        }

        /** The suspicion after this step. A second one adds nothing to one that is pending. */
        public @Nullable Suspect after(@Nullable Suspect known) {
            boolean stands = known != null && known.token().equals(token);
            boolean leftOut = known != null && known.leftOut();
            return switch (step) {
                case RAISED -> known != null && known.pending() ? known : new Suspect(node, token, true, leftOut);
                case CLEARED -> stands ? null : known;
                case CONFIRMED -> new Suspect(node, token, false, true);
            };
        }

        /** A transition of the drawing above. */
        public enum Step {
            RAISED,
            CLEARED,
            CONFIRMED
        }
    }

    /**
     * A table whose rows no statement may change until it is thawed. The leader thaws it if its owner does not. A table
     * that is frozen is moved only by a change that thaws the same freeze: so no row is written between the last copy
     * and the move.
     *
     * @param tableId the table's id
     * @param owner {@linkplain #newOwner id} of the command that freezes it
     * @param epoch epoch of the table's directory, which the move increments
     */
    public record Freeze(int tableId, String owner, long epoch) {
        private static final String SEPARATOR = "/";

        public Freeze {
            String unused = Wire.required("owner", owner);
        }

        /**
         * Creates an owner of freezes and copies: a command and a random id.
         *
         * @param command the command without the program's name, such as {@code cluster repair}
         */
        public static String newOwner(String command) {
            return command + SEPARATOR + UUID.randomUUID();
        }

        /** Describes the command of an owner that is not the reader's own. */
        public static String another(String owner) {
            int end = owner.indexOf(SEPARATOR);
            return end < 0 ? "another command" : "another 'sluice " + owner.substring(0, end) + "'";
        }
    }

    /**
     * A table that is gone on all nodes from this entry on; a node that is down deletes its part when it is back.
     *
     * @param tableId its id, which no other table of the cluster ever gets
     * @param name its name: a node may have another table of that id from a time before it joined the cluster
     */
    public record Dropped(int tableId, String name) {
        public Dropped {
            String unused = Wire.required("name", name);
        }
    }

    /**
     * A table that an import has filled, or has added rows to. All of its nodes have verified what they have of it; a
     * node that is down publishes its part when it is back.
     *
     * @param importId id of the import; a node without it has no part of the table, or has published it
     * @param tableId the table's id, which no other attempt at the import has
     * @param sums checksum of each index of the whole table
     */
    public record Published(UUID importId, int tableId, List<ChecksumBody> sums) {
        public Published {
            UUID unused = Wire.required("importId", importId);
            sums = List.copyOf(Wire.required("sums", sums));
        }

        public static Published of(UUID importId, int tableId, List<IndexChecksum> sums) {
            return new Published(importId, tableId, ChecksumBody.of(sums));
        }
    }

    /**
     * A table whose ranges are on other nodes from now on, or are split. It takes effect on a node if its epoch is
     * later than that of the node's directory.
     *
     * @param tableId the table's id
     * @param directory the same key ranges or parts of them, and their nodes
     * @param published checksum of each index without the changes that the nodes of {@code directory} have counted
     *     since the publication; it makes up for the counts of a node that leaves
     * @param importId id of the import that fills the table: the nodes without an address in the directory take no part
     *     in it any more, and undo what they have of it; null for a published table
     */
    public record Moved(
            int tableId,
            DirectoryBody directory,
            List<ChecksumBody> published,
            @Nullable UUID importId) {
        public Moved {
            RangeDirectory unused = Wire.required("directory", directory).toDirectory();
            published = List.copyOf(Wire.required("published", published));
        }

        public static Moved of(int tableId, RangeDirectory directory, List<IndexChecksum> published) {
            return new Moved(tableId, DirectoryBody.of(directory), ChecksumBody.of(published), null);
        }

        /** The nodes of an import from now on: those with an address in its directory. */
        public static Moved ofImport(UUID importId, int tableId, RangeDirectory directory) {
            return new Moved(tableId, DirectoryBody.of(directory), List.of(), importId);
        }
    }
}
