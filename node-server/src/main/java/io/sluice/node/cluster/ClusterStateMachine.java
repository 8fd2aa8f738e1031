package io.sluice.node.cluster;

import io.sluice.model.file.DurableFiles;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.apache.ratis.io.MD5Hash;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
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
import org.jspecify.annotations.Nullable;

/** Applies the entries of the log to a {@link ClusterState}, and stores and restores its snapshots, for Ratis. */
final class ClusterStateMachine extends BaseStateMachine {
    private final SimpleStateMachineStorage storage = new SimpleStateMachineStorage();
    private final ClusterState state;
    private final Consumer<String> failure;
    /** Whether an entry failed. The next start applies it again, so no snapshot or later entry may take its place. */
    private volatile boolean failed;

    /** @param failure receives the reason when an entry could not be applied */
    ClusterStateMachine(ClusterState state, Consumer<String> failure) {
        this.state = state;
        this.failure = failure;
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
        try {
            load();
        } catch (IOException | RuntimeException e) {
            // Ratis applies no entry after it.
            failed = true;
            failure.accept("a snapshot of the cluster's log could not be applied: " + reason(e));
            throw e;
        }
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
            state.clear();
            return;
        }
        File file = snapshot.getFile().getPath().toFile();
        TermIndex last = SimpleStateMachineStorage.getTermIndexFromSnapshotFile(file);
        state.restore(Files.readAllBytes(file.toPath()), last.getIndex());
        setLastAppliedTermIndex(last);
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
        DurableFiles.writeAtomically(file.toPath(), state.snapshot());
        MD5Hash md5 = MD5FileUtil.computeAndSaveMd5ForFile(file);
        storage.updateLatestSnapshot(new SingleFileSnapshotInfo(new FileInfo(file.toPath(), md5), last));
        return last.getIndex();
    }

    /** Answers nothing: that it is asked says that the node has applied all entries before the request. */
    @Override
    public CompletableFuture<Message> query(Message request) {
        return CompletableFuture.completedFuture(Message.EMPTY);
    }

    @Override
    public CompletableFuture<Message> applyTransaction(TransactionContext transaction) {
        var entry = transaction.getLogEntry();
        if (failed) {
            return CompletableFuture.failedFuture(new IOException("an earlier entry could not be applied"));
        }
        try {
            byte[] data = entry.getStateMachineLogEntry().getLogData().toByteArray();
            String answer = state.apply(entry.getIndex(), data);
            updateLastAppliedTermIndex(entry.getTerm(), entry.getIndex());
            return CompletableFuture.completedFuture(Message.valueOf(answer));
        } catch (IOException | RuntimeException e) {
            failed = true;
            failure.accept("entry " + entry.getIndex() + " of the cluster's log could not be applied: " + reason(e));
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Ratis writes no entry after this one. */
    @Override
    public void notifyLogFailed(Throwable cause, @Nullable LogEntryProto entry) {
        failure.accept("an entry of the cluster's log could not be written: " + reason(cause));
    }

    private static String reason(Throwable e) {
        return e.getMessage() == null ? e.toString() : e.getMessage();
    }
}
