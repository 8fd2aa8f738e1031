package io.sluice.node.distributed;

import io.sluice.api.error.SluiceException;
import io.sluice.api.sql.StatementException;
import io.sluice.api.transaction.Participant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What nodes are still to be told when a transaction is over: that it is committed, and which snapshots nobody needs.
 * Both go out in the background, and with the next snapshot that is taken on the node, so that what is read next has
 * what was committed. Nodes that never hear of it find out by themselves.
 */
final class PostCommitNotifier {
    /** Snapshots end by themselves; so many at a time are worth a request of their own. */
    private static final int RELEASED_AT_ONCE = 16;

    private final Tasks tasks;
    private final Map<String, Participant> nodes = new ConcurrentHashMap<>();
    private final Map<String, Set<UUID>> committed = new ConcurrentHashMap<>();
    private final Map<String, Set<UUID>> released = new ConcurrentHashMap<>();

    PostCommitNotifier(Tasks tasks) {
        this.tasks = tasks;
    }

    /** Transactions that are committed, and of which a node may not know that. */
    List<UUID> committedAt(String node) {
        return List.copyOf(committed.getOrDefault(node, Set.of()));
    }

    /** Snapshots of a node that nobody needs; whoever asks tells the node. */
    List<UUID> takeReleased(String node) {
        Set<UUID> ids = released.get(node);
        if (ids == null) {
            return List.of();
        }
        List<UUID> taken = new ArrayList<>(ids);
        taken.forEach(ids::remove);
        return taken;
    }

    /** A transaction is committed. */
    void commit(UUID transaction, Participant lastAgent, List<Participant> others) {
        List<String> ids = others.stream().map(Participant::id).toList();
        AtomicInteger left = new AtomicInteger(others.size());
        for (Participant node : others) {
            Set<UUID> untold = committed.computeIfAbsent(node.id(), none -> ConcurrentHashMap.newKeySet());
            untold.add(transaction);
            boolean begun = tasks.later(() -> {
                if (told(() -> node.decide(transaction, true)) && left.decrementAndGet() == 0) {
                    told(() -> lastAgent.forget(transaction, ids));
                }
                untold.remove(transaction);
            });
            if (!begun) {
                untold.remove(transaction);
            }
        }
    }

    /** A transaction will not be committed. */
    void abort(UUID transaction, List<Participant> prepared) {
        prepared.forEach(node -> tasks.later(() -> told(() -> node.decide(transaction, false))));
    }

    /** A snapshot is not needed any more. */
    void release(Participant node, UUID snapshot) {
        nodes.put(node.id(), node);
        Set<UUID> ids = released.computeIfAbsent(node.id(), none -> ConcurrentHashMap.newKeySet());
        ids.add(snapshot);
        if (ids.size() >= RELEASED_AT_ONCE) {
            tasks.later(() -> told(() -> flush(node)));
        }
    }

    /** Tells all nodes what they were not told yet; what was begun goes on. */
    void flush() {
        nodes.values().forEach(node -> tasks.later(() -> told(() -> flush(node))));
    }

    private void flush(Participant node) {
        List<UUID> ids = takeReleased(node.id());
        if (!ids.isEmpty()) {
            node.release(ids);
        }
    }

    /** A node that cannot be told finds out by itself. */
    private static boolean told(Runnable telling) {
        try {
            telling.run();
            return true;
        } catch (SluiceException | StatementException e) {
            return false;
        }
    }
}
