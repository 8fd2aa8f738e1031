package io.sluice.node.ingest;

import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Lets deliveries of the same SST in one after the other, those of different ones beside each other. Usable by several
 * threads.
 */
final class KeyedLock {
    private final ConcurrentMap<UUID, Turn> turns = new ConcurrentHashMap<>();

    /** A lock and how many have or want it. */
    private static final class Turn {
        final ReentrantLock lock = new ReentrantLock();
        /** Changed inside the map's compute only. */
        int users;
    }

    /** Does some work when nobody else is at work with that id. */
    <T> T inTurn(UUID id, Supplier<T> work) {
        Turn turn = turns.compute(id, (same, known) -> {
            Turn used = known == null ? new Turn() : known;
            used.users++;
            return used;
        });
        turn.lock.lock();
        try {
            return work.get();
        } finally {
            turn.lock.unlock();
            turns.computeIfPresent(id, (same, known) -> --known.users == 0 ? null : known);
        }
    }
}
