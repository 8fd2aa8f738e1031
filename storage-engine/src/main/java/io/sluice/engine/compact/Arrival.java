package io.sluice.engine.compact;

import io.sluice.engine.store.KeyBounds;

/**
 * An admitted SST that has not arrived in its tree. It counts there from {@link LiveTree#expect} on, so that later
 * admission requests see it before it arrives.
 */
public final class Arrival {
    private final KeyBounds bounds;
    /** Guarded by the tree. */
    private boolean arrived;

    Arrival(KeyBounds bounds) {
        this.bounds = bounds;
    }

    KeyBounds bounds() {
        return bounds;
    }

    boolean arrived() {
        return arrived;
    }

    void arrive() {
        arrived = true;
    }
}
