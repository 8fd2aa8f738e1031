package io.sluice.sql.distributed;

import io.sluice.engine.store.StoreView;
import java.util.UUID;

/** A snapshot on this node that a remote coordinator reads. It expires when it is idle for too long. */
final class Lease {
    private final UUID id;
    private final long since;
    private final long publications;
    private final StoreView view;
    private volatile long lastUsedMillis;

    Lease(UUID id, long since, long publications, StoreView view, long nowMillis) {
        this.id = id;
        this.since = since;
        this.publications = publications;
        this.view = view;
        lastUsedMillis = nowMillis;
    }

    UUID id() {
        return id;
    }

    long since() {
        return since;
    }

    long publications() {
        return publications;
    }

    StoreView view() {
        return view;
    }

    void used(long nowMillis) {
        lastUsedMillis = nowMillis;
    }

    boolean idleSince(long millis) {
        return lastUsedMillis <= millis;
    }

    /** Closes the snapshot after the reads in progress. */
    void end() {
        view.close();
    }
}
