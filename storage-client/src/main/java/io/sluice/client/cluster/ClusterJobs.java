package io.sluice.client.cluster;

import io.sluice.api.wire.ClusterBody;
import io.sluice.api.wire.JobsBody;
import io.sluice.api.wire.JobsChange;
import io.sluice.client.RemoteNode;
import io.sluice.client.RemoteSettings;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.ChangeRefusedException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.SluiceException;
import io.sluice.model.thread.Backoff;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * The jobs of import services in the log of a cluster, read and changed through any of its nodes. Keeps a connection to
 * each node that it has asked. Thread-safe.
 */
public final class ClusterJobs implements AutoCloseable {
    private static final Backoff BACKOFF = new Backoff(100, 1_000, 1);

    /** A node takes an entry within some milliseconds, or knows no leader. */
    private static final long ANSWER_MILLIS = 3_000;

    /** Silence after which another node is asked: renewals of a lease have some seconds for several nodes. */
    private static final long PATIENCE_MILLIS = 1_000;

    private final Function<String, RemoteSettings> access;
    private final Map<String, RemoteNode> clients = new ConcurrentHashMap<>();
    private volatile List<String> urls;

    /**
     * Creates a client.
     *
     * @param known the cluster, as one of its nodes sees it
     * @param access connection settings to the node at a URL
     */
    public ClusterJobs(ClusterBody known, Function<String, RemoteSettings> access) {
        this.access = access;
        urls = urls(known);
    }

    private static List<String> urls(ClusterBody cluster) {
        return cluster.members().stream().map(ClusterBody.Member::url).toList();
    }

    /**
     * Reads the jobs and their lease, or the lease only.
     *
     * @throws OperationFailedException when no node answers in that time
     */
    public JobsBody read(boolean leaseOnly, long withinMillis) {
        return ask(node -> node.jobs(leaseOnly), withinMillis);
    }

    /**
     * Changes jobs or their lease.
     *
     * @throws ChangeRefusedException when another service holds the lease
     * @throws BadInputException when the change is too long
     * @throws OperationFailedException when no node takes it in that time; it may take effect all the same
     */
    public void change(JobsChange change, long withinMillis) {
        Boolean unused = ask(
                node -> {
                    node.change(change);
                    return true;
                },
                withinMillis);
    }

    /**
     * Checks that all members know of jobs: one of an earlier version could not apply an entry about them, and would
     * leave the log.
     *
     * @throws OperationFailedException naming a member that does not
     */
    void ensureKnownToAll() {
        for (String url : urls) {
            try {
                JobsBody unused = client(url).jobs(true);
            } catch (SluiceException e) {
                throw new OperationFailedException(
                        "node " + url + " does not keep jobs of import services: " + e.getMessage()
                                + "; all nodes of the cluster must be up, in this version, before its first service begins",
                        e);
            }
        }
    }

    private <T> T ask(Function<RemoteNode, T> request, long withinMillis) {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(withinMillis);
        SluiceException last = new OperationFailedException("the cluster has no nodes");
        for (int tries = 1; tries == 1 || System.nanoTime() - end < 0; tries++) {
            List<String> asked = urls;
            for (String url : asked) {
                try {
                    T answer = request.apply(client(url));
                    if (!url.equals(asked.get(0))) {
                        // The others may have been replaced meanwhile.
                        refresh(url);
                    }
                    return answer;
                } catch (ChangeRefusedException | BadInputException e) {
                    throw e;
                } catch (SluiceException e) {
                    last = e;
                    askLast(url);
                }
                if (System.nanoTime() - end >= 0) {
                    break;
                }
            }
            Backoff.sleep(BACKOFF.jitteredMillis(tries), "waiting for the cluster");
        }
        throw last;
    }

    private RemoteNode client(String url) {
        return clients.computeIfAbsent(
                url,
                made -> new RemoteNode(access.apply(made)
                        .withPatience(PATIENCE_MILLIS, PATIENCE_MILLIS)
                        .withAnswerMillis(ANSWER_MILLIS)));
    }

    /** Asks a node after the others from now on: one that is silent may take all the time of a request. */
    private synchronized void askLast(String url) {
        List<String> next = new ArrayList<>(urls);
        if (next.remove(url)) {
            next.add(url);
            urls = next;
        }
    }

    /** Asks a node that answers for the members, and asks it first from now on. */
    private synchronized void refresh(String url) {
        try {
            ClusterBody now = client(url).cluster();
            List<String> next = new ArrayList<>(now == null ? urls : urls(now));
            next.remove(url);
            next.add(0, url);
            urls = next;
            clients.entrySet().removeIf(entry -> {
                boolean gone = !next.contains(entry.getKey());
                if (gone) {
                    entry.getValue().close();
                }
                return gone;
            });
        } catch (SluiceException e) {
            // The next request asks it again.
        }
    }

    @Override
    public void close() {
        clients.values().forEach(RemoteNode::close);
        clients.clear();
    }
}
