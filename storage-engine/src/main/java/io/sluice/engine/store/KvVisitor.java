package io.sluice.engine.store;

/** A callback that receives KVs in key order. */
@FunctionalInterface
public interface KvVisitor {
    /** Receives one KV, and owns the arrays from then on. */
    void visit(byte[] key, byte[] value);
}
