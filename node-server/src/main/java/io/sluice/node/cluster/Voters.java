package io.sluice.node.cluster;

import io.sluice.model.error.SluiceException;
import io.sluice.model.thread.Daemons;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Finishes changes of the voters that were interrupted, on the leader. It has a thread of its own, since Ratis waits
 * for a new member that does not answer, and lost members are left out meanwhile.
 */
final class Voters implements AutoCloseable {
    private static final long PAUSE_MILLIS = 1_000;

    private final RaftNode raft;
    private final BooleanSupplier leads;
    private final Consumer<String> problems;
    private final Thread thread = Daemons.thread("cluster-voters", this::keep);

    /**
     * Creates it.
     *
     * @param leads whether this node leads the cluster
     * @param problems receives why voters could not be changed; they are tried again
     */
    Voters(RaftNode raft, BooleanSupplier leads, Consumer<String> problems) {
        this.raft = raft;
        this.leads = leads;
        this.problems = problems;
    }

    void start() {
        thread.start();
    }

    private void keep() {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                try {
                    if (leads.getAsBoolean()) {
                        raft.updateVoters();
                    }
                } catch (SluiceException e) {
                    problems.accept(String.valueOf(e.getMessage()));
                }
                Thread.sleep(PAUSE_MILLIS);
            }
        } catch (InterruptedException e) {
            // Closed.
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
