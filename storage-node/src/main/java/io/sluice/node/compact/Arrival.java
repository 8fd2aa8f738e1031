package io.sluice.node.compact;

/**
 * An SST that was let in and is on its way into a tree. It counts there from {@link LiveTree#expect} on, so that all
 * that ask to enter before it lands see it already.
 */
public final class Arrival {
    private final KeyBounds bounds;
    /** Guarded by the tree. */
    private boolean landed;

    Arrival(KeyBounds bounds) {
        this.bounds = bounds;
    }

    KeyBounds bounds() {
        return bounds;
    }

    boolean landed() {
        return landed;
    }

    void land() {
        landed = true;
    }
}
