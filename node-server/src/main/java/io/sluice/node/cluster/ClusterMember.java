package io.sluice.node.cluster;

import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.RangeDirectory;
import io.sluice.api.transaction.Decision;
import io.sluice.api.transaction.Outcome;
import io.sluice.api.wire.ChecksumBody;
import io.sluice.api.wire.ClusterBody;
import io.sluice.api.wire.ClusterBody.Member;
import io.sluice.api.wire.ClusterChange;
import io.sluice.api.wire.JobsBody;
import io.sluice.api.wire.JobsChange;
import io.sluice.client.RemoteSettings;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.ChangeRefusedException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.SluiceException;
import io.sluice.node.http.Membership;
import io.sluice.sql.distributed.Decisions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * This node in its cluster. {@link #start} begins to join or found it on a thread of its own; the node serves
 * meanwhile. The caller closes it before the store.
 */
public final class ClusterMember implements Membership, AutoCloseable {
    /** Time after which the leader thaws a table; the last changes of a copy take less than a second. */
    public static final long THAW_AFTER_MILLIS = 30_000;

    /** Time after which a node without contact to most members serves no rows: more than two elections. */
    public static final long CONTACT_MILLIS = 5_000;

    /** Time for the leader to confirm that it leads. */
    private static final long READ_MILLIS = 2_000;

    private final Settings settings;
    private final String id;
    private final Host host;
    private final ClusterState state;
    private final RaftNode raft;
    private final Contact contact;
    private final ClusterWatch watch;
    private final DecisionWriter decisions;
    private final Voters voters;
    /** Whether this node was a member before it started, so that its tables may be outdated from the start on. */
    private final boolean wasMember;

    /**
     * Settings of a membership.
     *
     * @param name name of the node
     * @param listed nodes that found the cluster or are in it, as {@code HOST:PORT}; this node's address among them
     * @param raft address for the consensus
     * @param directory directory of the log, below the store
     * @param tls files with which members prove to each other who they are; null: only on loopback
     * @param access connection settings to a listed node
     * @param thawAfterMillis how long a copy may freeze a table
     * @param contactMillis how long the node serves rows without contact to most members
     */
    public record Settings(
            String name,
            List<String> listed,
            InetSocketAddress raft,
            Path directory,
            @Nullable Tls tls,
            Access access,
            long thawAfterMillis,
            long contactMillis) {
        /** The address for the consensus as {@code HOST:PORT}. */
        String raftAddress() {
            return raft.getHostString() + ":" + raft.getPort();
        }

        /**
         * PEM files of a member; both sides of each connection check the other's certificate.
         *
         * @param certificate the member's certificate chain
         * @param key its private key, unencrypted PKCS #8
         * @param trusted certificates that members have, or that have signed theirs
         */
        public record Tls(Path certificate, Path key, Path trusted) {}

        /** Settings of the connection to a node. */
        public interface Access {
            RemoteSettings to(String address);
        }
    }

    /** The node, as its membership uses it. */
    public interface Host {
        /** Receives a line for each change. */
        void log(String line);

        /** Records durably where a table's ranges are now. The log may repeat it. */
        void moved(int tableId, RangeDirectory directory, List<IndexChecksum> published);

        /**
         * Sets durably which tables' rows no statement may change.
         *
         * @param index index of the log's entry; an earlier one has no effect
         * @param owners owners of the freezes by table id
         */
        void frozen(long index, Map<Integer, String> owners);

        /**
         * Records durably which nodes take part in an import from now on. If this node is not among them, it removes
         * what it has of the import. The log may repeat it.
         */
        void importMoved(UUID importId, int tableId, RangeDirectory directory);

        /**
         * Publishes what this node has of an import, durably. The log may repeat it.
         *
         * @param tableId id of the import's table
         * @param sums checksum of each index of the whole table
         */
        void published(UUID importId, int tableId, List<IndexChecksum> sums);

        /**
         * Removes what this node has of a dropped table, durably. The log may repeat it.
         *
         * @param name the table's name; another table of that id stays
         */
        void dropped(int tableId, String name);

        /**
         * Ends this node's branches of transactions that the cluster has decided: before the node serves rows again,
         * since coordinators answered their clients when they saw that it does not.
         *
         * @param outcomes outcomes of transactions by the entries that this node has applied
         */
        void endDecided(Function<UUID, Outcome> outcomes);

        /** The reason why the node takes no writes until it is restarted; null: it does. */
        @Nullable
        String failure();

        /**
         * Ends the node: it was removed from the cluster, and its tables are outdated, or it takes no writes.
         *
         * @param why the reason, as a sentence
         */
        void end(SluiceException why);
    }

    /**
     * Creates a membership.
     *
     * @param id id of the node's store
     * @throws BadInputException if the address for the consensus is not of this machine alone, or in use
     */
    public ClusterMember(Settings settings, String id, Host host) {
        this.settings = settings;
        this.id = id;
        this.host = host;
        state = new ClusterState(
                this::moved,
                host::frozen,
                table -> host.dropped(table.tableId(), table.name()),
                table -> host.published(table.importId(), table.tableId(), ChecksumBody.toSums(table.sums())));
        raft = new RaftNode(settings, id, state);
        wasMember = raft.server().hasLog();
        contact = new Contact(raft, settings.contactMillis());
        decisions = new DecisionWriter(raft, this::ensureContact);
        watch = new ClusterWatch(settings, id, host, state, raft, contact);
        voters = new Voters(raft, this::leads, watch::report);
    }

    private void moved(ClusterChange.Moved table) {
        RangeDirectory directory = table.directory().toDirectory();
        if (table.importId() == null) {
            host.moved(table.tableId(), directory, ChecksumBody.toSums(table.published()));
        } else {
            host.importMoved(table.importId(), table.tableId(), directory);
        }
    }

    /**
     * Begins to join or found the cluster.
     *
     * @param url the node's URL, at which it serves already
     */
    public void start(String url) {
        watch.start(new Member(id, settings.name(), url, settings.raftAddress()));
        contact.start();
        decisions.start();
        voters.start();
    }

    private boolean leads() {
        ClusterBody now = cluster();
        return now != null && id.equals(now.leader());
    }

    @Override
    public boolean joining() {
        return !wasMember && raft.server().clusterId() == null;
    }

    @Override
    public @Nullable String outdated() {
        String broken = host.failure();
        if (broken != null) {
            return "node " + settings.name() + ": " + broken;
        }
        String failure = raft.server().failure();
        if (failure != null) {
            return "node " + settings.name() + " has left the log of its cluster for some seconds: " + failure;
        }
        if (joining()) {
            return "node " + settings.name() + " has not joined its cluster yet; start the nodes that its --cluster"
                    + " names, or wait";
        }
        if (state.suspect(id) != null) {
            return "node " + settings.name() + " did not answer for some time and says to its cluster that it is back;"
                    + " try again in a second";
        }
        return contact.lasts()
                ? null
                : "node " + settings.name() + " has no contact with most nodes of its cluster, so that its rows may be"
                        + " outdated; start the others";
    }

    @Override
    public @Nullable ClusterBody cluster() {
        return raft.cluster();
    }

    @Override
    public ClusterBody change(ClusterChange change) {
        replicate(change);
        if (change.added() != null || !change.removed().isEmpty()) {
            raft.updateVoters();
        }
        return Objects.requireNonNull(cluster());
    }

    /** Checks and replicates a change, one at a time; the voters, which may have to be waited for, follow later. */
    private synchronized void replicate(ClusterChange change) {
        ClusterBody now = cluster();
        if (now == null || !id.equals(now.leader())) {
            throw new OperationFailedException("node " + settings.name() + " does not lead the cluster; ask again");
        }
        String unwanted = state.refusalOfMembers(change);
        if (!unwanted.isEmpty()) {
            throw new BadInputException(unwanted);
        }
        if (change.removed().contains(id)) {
            transferLeadership(now, change.removed());
            throw new OperationFailedException("node " + settings.name() + " led the cluster until now; ask again");
        }
        raft.replicate(change);
    }

    @Override
    public boolean dropped(int tableId) {
        return state.dropped(tableId);
    }

    @Override
    public @Nullable UUID publisher(int tableId) {
        return state.publisher(tableId);
    }

    @Override
    public boolean catchUp() {
        try {
            return raft.catchUp(READ_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public JobsBody jobs(boolean leaseOnly) {
        if (catchUp()) {
            return leaseOnly ? state.jobs().lease() : state.jobs().all();
        }
        throw new OperationFailedException("node " + settings.name()
                + " has no contact with most nodes of its cluster; ask another one, or start the others");
    }

    @Override
    public void change(JobsChange change) {
        try {
            byte[] entry = ClusterState.entry(change);
            if (entry.length > JobsChange.MAX_BYTES) {
                throw new BadInputException(
                        "the job takes " + entry.length + " bytes, and the log of the cluster takes "
                                + JobsChange.MAX_BYTES + "; name a directory instead of single files");
            }
            String refusal = raft.append(entry);
            if (!refusal.isEmpty()) {
                throw new ChangeRefusedException(refusal);
            }
        } catch (IOException e) {
            throw new OperationFailedException("the log of the cluster takes no entry: " + e.getMessage(), e);
        }
    }

    @Override
    public long seen() {
        return state.decisions().applied();
    }

    @Override
    public Outcome applied(UUID transaction) {
        return state.decisions().outcome(transaction);
    }

    @Override
    public byte @Nullable [] position(String log) {
        return state.decisions().position(log);
    }

    @Override
    public Map<UUID, Outcome> decide(List<Decision> all) {
        return decisions.decide(all);
    }

    private void ensureContact() {
        if (!contact.lasts()) {
            throw new OperationFailedException("node " + settings.name()
                    + " has no contact with most nodes of its cluster, so that it decides nothing; ask another one");
        }
    }

    @Override
    public long unreported() {
        return state.decisions().unreported(id);
    }

    @Override
    public void report(long through) {
        try {
            List<Outcome> unused = raft.decide(new Decisions.Entry(List.of(), new Decisions.Report(id, through)));
        } catch (IOException e) {
            throw new OperationFailedException("the log of the cluster takes no entry: " + e.getMessage(), e);
        }
    }

    /** Lets a member lead that stays: one that is removed cannot finish the change. */
    private void transferLeadership(ClusterBody now, List<String> leaving) {
        for (Member other : now.members()) {
            if (!leaving.contains(other.id())) {
                try {
                    if (raft.transferLeadership(other)) {
                        return;
                    }
                } catch (IOException e) {
                    watch.report("node " + other.name() + " did not take over: " + e.getMessage());
                }
            }
        }
        throw new OperationFailedException(
                "node " + settings.name() + " leads the cluster, and no other node can take over; it is not removed");
    }

    @Override
    public void close() {
        watch.close();
        contact.close();
        decisions.close();
        voters.close();
        try {
            raft.close();
        } catch (IOException e) {
            host.log("cluster: the consensus could not be closed: " + e.getMessage());
        }
    }
}
