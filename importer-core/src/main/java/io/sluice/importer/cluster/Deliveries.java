package io.sluice.importer.cluster;

import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/** Which nodes have taken what is being delivered, so that a second try leaves those out. */
final class Deliveries {
    private final Map<UUID, Set<String>> taken = new ConcurrentHashMap<>();

    /** Ids of the nodes that have it. */
    Set<String> of(UUID delivery) {
        return taken.computeIfAbsent(delivery, id -> ConcurrentHashMap.newKeySet());
    }

    /** All have it. */
    void done(UUID delivery) {
        taken.remove(delivery);
    }
}
