package io.sluice.node.cluster;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.api.wire.ClusterBody.Member;
import io.sluice.api.wire.ClusterChange;
import io.sluice.api.wire.ClusterChange.Moved;
import io.sluice.model.error.SluiceException;
import io.sluice.model.file.DurableFiles;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.apache.ratis.io.MD5Hash;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.server.storage.FileInfo;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.StateMachineStorage;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.statemachine.impl.SimpleStateMachineStorage;
import org.apache.ratis.statemachine.impl.SingleFileSnapshotInfo;
import org.apache.ratis.util.LifeCycle;
import org.apache.ratis.util.MD5FileUtil;

/**
 * The members, as the entries of the replicated log set them, and where tables were moved to. Each entry is a
 * {@link ClusterChange} in JSON. A snapshot is the list of all members and the last place of each moved table. Ratis
 * applies entries on one thread; readers see a concurrent map.
 */
final class ClusterState extends BaseStateMachine {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** A snapshot in JSON. */
    private record Stored(List<Member> members, List<Moved> tables, List<String> removed) {}

    private final SimpleStateMachineStorage storage = new SimpleStateMachineStorage();
    private final Map<String, Member> members = new ConcurrentHashMap<>();
    private final Map<Integer, Moved> tables = new ConcurrentHashMap<>();
    private final Set<String> removed = ConcurrentHashMap.newKeySet();
    private final Consumer<Moved> moved;
    /** Whether an entry failed. From then on no snapshot may take its place: the next start applies it again. */
    private volatile boolean failed;

    /** @param moved receives each moved table, durably; it may get one again */
    ClusterState(Consumer<Moved> moved) {
        this.moved = moved;
    }

    /** The members, by name. */
    List<Member> members() {
        return sorted(members.values());
    }

    /** Whether a store was a member and was removed; it must not come back, since its tables are outdated. */
    boolean wasRemoved(String id) {
        return removed.contains(id);
    }

    private static List<Member> sorted(Collection<Member> members) {
        return members.stream().sorted(Comparator.comparing(Member::name)).toList();
    }

    /** The entry of a change. */
    static byte[] entry(ClusterChange change) throws IOException {
        return JSON.writeValueAsBytes(change);
    }

    private void apply(ClusterChange change) {
        change.tables().forEach(this::move);
        Member added = change.added();
        if (added != null) {
            members.put(added.id(), added);
        }
        change.removed().forEach(leaving -> {
            members.remove(leaving);
            removed.add(leaving);
        });
    }

    private void move(Moved table) {
        Moved known = tables.get(table.tableId());
        if (known == null || known.directory().epoch() < table.directory().epoch()) {
            moved.accept(table);
            tables.put(table.tableId(), table);
        }
    }

    @Override
    public void initialize(RaftServer server, RaftGroupId group, RaftStorage raft) throws IOException {
        super.initialize(server, group, raft);
        storage.init(raft);
        load();
        // Ratis installs snapshots only into a state machine that runs.
        getLifeCycle().transition(LifeCycle.State.STARTING);
        getLifeCycle().transition(LifeCycle.State.RUNNING);
    }

    @Override
    public void reinitialize() throws IOException {
        load();
        if (getLifeCycleState() == LifeCycle.State.PAUSED) {
            getLifeCycle().transition(LifeCycle.State.STARTING);
            getLifeCycle().transition(LifeCycle.State.RUNNING);
        }
    }

    @Override
    public void pause() {
        if (getLifeCycleState() == LifeCycle.State.RUNNING) {
            getLifeCycle().transition(LifeCycle.State.PAUSING);
            getLifeCycle().transition(LifeCycle.State.PAUSED);
        }
    }

    private void load() throws IOException {
        SingleFileSnapshotInfo snapshot = storage.loadLatestSnapshot();
        if (snapshot == null) {
            return;
        }
        File file = snapshot.getFile().getPath().toFile();
        Stored read = JSON.readValue(Files.readAllBytes(file.toPath()), Stored.class);
        members.clear();
        read.members().forEach(member -> members.put(member.id(), member));
        read.tables().forEach(this::move);
        removed.addAll(read.removed());
        setLastAppliedTermIndex(SimpleStateMachineStorage.getTermIndexFromSnapshotFile(file));
        failed = false;
    }

    @Override
    public StateMachineStorage getStateMachineStorage() {
        return storage;
    }

    @Override
    public long takeSnapshot() throws IOException {
        if (failed) {
            return RaftLog.INVALID_LOG_INDEX;
        }
        TermIndex last = getLastAppliedTermIndex();
        File file = storage.getSnapshotFile(last.getTerm(), last.getIndex());
        DurableFiles.writeAtomically(
                file.toPath(),
                JSON.writeValueAsBytes(new Stored(members(), List.copyOf(tables.values()), List.copyOf(removed))));
        MD5Hash md5 = MD5FileUtil.computeAndSaveMd5ForFile(file);
        storage.updateLatestSnapshot(new SingleFileSnapshotInfo(new FileInfo(file.toPath(), md5), last));
        return last.getIndex();
    }

    @Override
    public CompletableFuture<Message> applyTransaction(TransactionContext transaction) {
        var entry = transaction.getLogEntry();
        try {
            byte[] data = entry.getStateMachineLogEntry().getLogData().toByteArray();
            apply(JSON.readValue(data, ClusterChange.class));
            updateLastAppliedTermIndex(entry.getTerm(), entry.getIndex());
            return CompletableFuture.completedFuture(Message.EMPTY);
        } catch (IOException | SluiceException e) {
            failed = true;
            return CompletableFuture.failedFuture(e);
        }
    }
}
