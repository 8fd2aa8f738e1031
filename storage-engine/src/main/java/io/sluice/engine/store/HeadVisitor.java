package io.sluice.engine.store;

/** A callback that inspects KVs as a cursor passes them. */
@FunctionalInterface
public interface HeadVisitor {
    /**
     * Inspects one KV.
     *
     * @param head valid until the next call, which reuses it
     * @return whether the cursor continues with the next KV
     */
    boolean visit(KvHead head);
}
