package io.sluice.node.store;

/** Takes KVs in key order. */
@FunctionalInterface
public interface KvVisitor {
    /** Takes one KV. The arrays are the receiver's. */
    void visit(byte[] key, byte[] value);
}
