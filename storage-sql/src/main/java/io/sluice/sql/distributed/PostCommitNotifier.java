package io.sluice.sql.distributed;

import io.sluice.api.transaction.Participant;
import io.sluice.grammar.StatementException;
import io.sluice.model.error.SluiceException;
import io.sluice.sql.transaction.TaskPool;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Notifies nodes of a transaction's outcome and of released snapshots. Notifications are sent in the background. The
 * next request for a snapshot on the node carries them too, so that the snapshot includes the commit. A node that
 * misses a notification asks the last agent, or ends the idle snapshot. Thread-safe.
 */
final class PostCommitNotifier {
    /** Idle snapshots end by themselves; this many released ones justify a request. */
    private static final int RELEASED_AT_ONCE = 16;

    private final TaskPool tasks;
    private final Map<String, Participant> nodes = new ConcurrentHashMap<>();
    private final Map<String, Set<UUID>> committed = new ConcurrentHashMap<>();
    private final Map<String, Set<UUID>> released = new ConcurrentHashMap<>();

    PostCommitNotifier(TaskPool tasks) {
        this.tasks = tasks;
    }

    /** Committed transactions whose outcome the node may not know yet. */
    List<UUID> committedAt(String node) {
        return List.copyOf(committed.getOrDefault(node, Set.of()));
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
        List<String> ids = others.stream().map(Participant::id).toList();
        AtomicInteger left = new AtomicInteger(others.size());
        for (Participant node : others) {
            Set<UUID> pending = committed.computeIfAbsent(node.id(), none -> ConcurrentHashMap.newKeySet());
            pending.add(transaction);
            boolean submitted = tasks.submit(() -> {
                if (tryNotify(() -> node.decide(transaction, true)) && left.decrementAndGet() == 0) {
                    tryNotify(() -> lastAgent.forget(transaction, ids));
                }
                pending.remove(transaction);
            });
            if (!submitted) {
                pending.remove(transaction);
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
