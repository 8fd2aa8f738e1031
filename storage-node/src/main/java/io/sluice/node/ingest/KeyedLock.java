package io.sluice.node.ingest;

import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * A lock per SST id: serializes deliveries of one SST, and lets those of different SSTs run in parallel. Usable by
 * several threads.
 */
final class KeyedLock {
    private final ConcurrentMap<UUID, Entry> entries = new ConcurrentHashMap<>();

    /** A lock, and the number of threads that hold it or wait for it. */
    private static final class Entry {
        final ReentrantLock lock = new ReentrantLock();
        /** Changed only inside the map's compute. */
        int users;
    }

    /** Runs work while no other thread works with that id. */
    <T> T locked(UUID id, Supplier<T> work) {
        Entry entry = entries.compute(id, (same, known) -> {
            Entry used = known == null ? new Entry() : known;
            used.users++;
            return used;
        });
        entry.lock.lock();
        try {
            return work.get();
        } finally {
            entry.lock.unlock();
            entries.computeIfPresent(id, (same, known) -> --known.users == 0 ? null : known);
        }
    }
}
