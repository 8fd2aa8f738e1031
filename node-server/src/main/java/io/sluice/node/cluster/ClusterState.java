package io.sluice.node.cluster;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.api.wire.ClusterBody.Member;
import io.sluice.model.file.DurableFiles;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.ratis.io.MD5Hash;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
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
 * The members, as the entries of the replicated log set them. Each entry is one member in JSON, which replaces that of
 * its id. A snapshot is the list of all. Ratis applies entries on one thread; readers see a concurrent map.
 */
final class ClusterState extends BaseStateMachine {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final TypeReference<List<Member>> MEMBERS = new TypeReference<>() {};

    private final SimpleStateMachineStorage storage = new SimpleStateMachineStorage();
    private final Map<String, Member> members = new ConcurrentHashMap<>();

    /** The members, by name. */
    List<Member> members() {
        return sorted(members.values());
    }

    private static List<Member> sorted(Collection<Member> members) {
        return members.stream().sorted(Comparator.comparing(Member::name)).toList();
    }

    /** The entry that sets a member. */
    static byte[] entry(Member member) throws IOException {
        return JSON.writeValueAsBytes(member);
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
        List<Member> read = JSON.readValue(Files.readAllBytes(file.toPath()), MEMBERS);
        members.clear();
        read.forEach(member -> members.put(member.id(), member));
        setLastAppliedTermIndex(SimpleStateMachineStorage.getTermIndexFromSnapshotFile(file));
    }

    @Override
    public StateMachineStorage getStateMachineStorage() {
        return storage;
    }

    @Override
    public long takeSnapshot() throws IOException {
        TermIndex last = getLastAppliedTermIndex();
        File file = storage.getSnapshotFile(last.getTerm(), last.getIndex());
        DurableFiles.writeAtomically(file.toPath(), JSON.writeValueAsBytes(members()));
        MD5Hash md5 = MD5FileUtil.computeAndSaveMd5ForFile(file);
        storage.updateLatestSnapshot(new SingleFileSnapshotInfo(new FileInfo(file.toPath(), md5), last));
        return last.getIndex();
    }

    @Override
    public CompletableFuture<Message> applyTransaction(TransactionContext transaction) {
        var entry = transaction.getLogEntry();
        try {
            byte[] data = entry.getStateMachineLogEntry().getLogData().toByteArray();
            Member member = JSON.readValue(data, Member.class);
            members.put(member.id(), member);
            updateLastAppliedTermIndex(entry.getTerm(), entry.getIndex());
            return CompletableFuture.completedFuture(Message.EMPTY);
        } catch (IOException e) {
            return CompletableFuture.failedFuture(e);
        }
    }
}
