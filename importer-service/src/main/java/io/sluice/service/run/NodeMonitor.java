package io.sluice.service.run;

import io.sluice.api.node.NodeClient;
import io.sluice.api.node.NodeStatus;
import io.sluice.model.error.SluiceException;
import io.sluice.model.thread.Daemons;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Polls the status of the nodes on its own thread, because a node may respond slowly: once a second while a job runs,
 * and less often otherwise.
 */
final class NodeMonitor implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NodeMonitor.class);
    private static final long BUSY_MILLIS = 1_000;
    private static final long IDLE_MILLIS = 10_000;

    private final NodeClient node;
    private final Thread thread;
    private volatile @Nullable NodeStatus status;
    private volatile boolean busy;
    private volatile boolean closed;

    NodeMonitor(NodeClient node) {
        this.node = node;
        thread = Daemons.thread("sluice-node-monitor", this::watch);
        thread.start();
    }

    /** The status from the last poll; null if the nodes did not respond. */
    @Nullable
    NodeStatus status() {
        return status;
    }

    /** Sets whether jobs run. */
    void busy(boolean now) {
        if (now && !busy) {
            synchronized (this) {
                busy = true;
                notifyAll();
            }
        }
        busy = now;
    }

    private void watch() {
        while (!closed) {
            try {
                status = node.status();
            } catch (SluiceException | IllegalStateException e) {
                if (status != null) {
                    LOG.warn("the nodes do not say how they are: {}", e.toString());
                }
                status = null;
            }
            try {
                synchronized (this) {
                    wait(busy ? BUSY_MILLIS : IDLE_MILLIS);
                }
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        Threads.join(thread, BUSY_MILLIS);
    }
}
