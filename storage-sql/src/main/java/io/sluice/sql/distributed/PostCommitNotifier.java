package io.sluice.sql.distributed;

import io.sluice.api.transaction.Participant;
import io.sluice.grammar.StatementException;
import io.sluice.model.error.SluiceException;
import io.sluice.sql.transaction.TaskPool;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Notifies nodes of a transaction's outcome and of released snapshots. Notifications are sent in the background. The
 * next request for a snapshot on the node carries them too, so that the snapshot includes the commit. A node that
 * misses a notification asks the log of the cluster or the last agent, or ends the idle snapshot. Thread-safe.
 */
final class PostCommitNotifier {
    /** Idle snapshots end by themselves; this many released ones justify a request. */
    private static final int RELEASED_AT_ONCE = 16;
    /** Decisions kept for a node that does not answer. It has at most as many branches in doubt. */
    private static final int MAX_UNSENT = 1024;

    private final TaskPool tasks;
    private final Map<String, Participant> nodes = new ConcurrentHashMap<>();
    /** Decisions to commit that a node may not know yet, by node and transaction, with what sends them. */
    private final Map<String, Map<UUID, Runnable>> committed = new ConcurrentHashMap<>();
    /** Of those, the ones whose notification failed. */
    private final Map<String, Set<UUID>> unsent = new ConcurrentHashMap<>();

    private final Map<String, Set<UUID>> released = new ConcurrentHashMap<>();

    PostCommitNotifier(TaskPool tasks) {
        this.tasks = tasks;
    }

    /** Committed transactions whose outcome the node may not know yet. */
    List<UUID> committedAt(String node) {
        return List.copyOf(committed.getOrDefault(node, Map.of()).keySet());
    }

    /** Takes the released snapshots of a node; the caller must send them to the node. */
    List<UUID> takeReleased(String node) {
        Set<UUID> ids = released.get(node);
        if (ids == null) {
            return List.of();
        }
        List<UUID> taken = new ArrayList<>(ids);
        taken.forEach(ids::remove);
        return taken;
    }

    /** Notifies the nodes of a commit; when all have ended their branches, lets the last agent drop its record. */
    void commit(UUID transaction, Participant lastAgent, List<Participant> others) {
        sends(transaction, lastAgent, others).forEach((node, send) -> {
            if (!tasks.submit(send)) {
                keep(node.id(), transaction);
            }
        });
    }

    /**
     * Notifies the nodes of a commit that the log of their cluster has, and waits for them.
     *
     * @return the nodes that have not ended their branches, as far as is known
     */
    List<Participant> commitNow(UUID transaction, List<Participant> nodes) {
        tasks.runAll(List.copyOf(sends(transaction, null, nodes).values()));
        return nodes.stream()
                .filter(node -> committedAt(node.id()).contains(transaction))
                .toList();
    }

    /** Creates the notification of each node. */
    private Map<Participant, Runnable> sends(
            UUID transaction, @Nullable Participant lastAgent, List<Participant> others) {
        Map<Participant, Runnable> sends = new LinkedHashMap<>();
        List<String> ids = others.stream().map(Participant::id).toList();
        AtomicInteger left = new AtomicInteger(others.size());
        for (Participant node : others) {
            Map<UUID, Runnable> pending = committed.computeIfAbsent(node.id(), none -> new ConcurrentHashMap<>());
            Runnable send = () -> {
                if (tryNotify(() -> node.decide(transaction, true))) {
                    pending.remove(transaction);
                    if (left.decrementAndGet() == 0 && lastAgent != null) {
                        tasks.submit(() -> tryNotify(() -> lastAgent.forget(transaction, ids)));
                    }
                } else {
                    keep(node.id(), transaction);
                }
            };
            pending.put(transaction, send);
            sends.put(node, send);
        }
        return sends;
    }

    /** Keeps a decision for the next read from the node; drops it, if there are many: then the node asks for it. */
    private void keep(String node, UUID transaction) {
        Set<UUID> ids = unsent.computeIfAbsent(node, none -> ConcurrentHashMap.newKeySet());
        if (ids.size() < MAX_UNSENT) {
            ids.add(transaction);
        } else {
            committed.getOrDefault(node, Map.of()).remove(transaction);
        }
    }

    /** Sends the decisions again that a node missed: it answers now. A read does not make them durable. */
    void answered(String node) {
        Set<UUID> ids = unsent.getOrDefault(node, Set.of());
        for (UUID transaction : List.copyOf(ids)) {
            Runnable send = committed.getOrDefault(node, Map.of()).get(transaction);
            if (ids.remove(transaction) && send != null && !tasks.submit(send)) {
                ids.add(transaction);
            }
        }
    }

    /** Notifies the prepared nodes of an abort. */
    void abort(UUID transaction, List<Participant> prepared) {
        prepared.forEach(node -> tasks.submit(() -> tryNotify(() -> node.decide(transaction, false))));
    }

    /** Marks a snapshot on a node as not needed any more. */
    void release(Participant node, UUID snapshot) {
        nodes.put(node.id(), node);
        Set<UUID> ids = released.computeIfAbsent(node.id(), none -> ConcurrentHashMap.newKeySet());
        ids.add(snapshot);
        if (ids.size() >= RELEASED_AT_ONCE) {
            tasks.submit(() -> tryNotify(() -> flush(node)));
        }
    }

    /** Sends all pending releases in the background. */
    void flush() {
        nodes.values().forEach(node -> tasks.submit(() -> tryNotify(() -> flush(node))));
    }

    private void flush(Participant node) {
        List<UUID> ids = takeReleased(node.id());
        if (!ids.isEmpty()) {
            node.release(ids);
        }
    }

    /** Runs a notification; returns false if it failed, which is harmless. */
    private static boolean tryNotify(Runnable request) {
        try {
            request.run();
            return true;
        } catch (SluiceException | StatementException e) {
            return false;
        }
    }
}
