package io.sluice.client.cluster;

import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/** Tracks the nodes that have taken a delivery, so that a retry skips them. Thread-safe. */
final class Deliveries {
    private final Map<UUID, Set<String>> taken = new ConcurrentHashMap<>();

    /** Ids of the nodes that have taken a delivery. */
    Set<String> of(UUID delivery) {
        return taken.computeIfAbsent(delivery, id -> ConcurrentHashMap.newKeySet());
    }

    /** Forgets a delivery that all nodes have taken. */
    void done(UUID delivery) {
        taken.remove(delivery);
    }
}
