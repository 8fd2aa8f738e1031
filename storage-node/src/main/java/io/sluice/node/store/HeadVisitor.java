package io.sluice.node.store;

/** Looks at KVs that a cursor passes. */
@FunctionalInterface
public interface HeadVisitor {
    /**
     * One KV.
     *
     * @param head the next call's from then on
     * @return whether to go on behind it
     */
    boolean visit(KvHead head);
}
