package io.sluice.engine.store;

/**
 * The size of a write of Puts.
 *
 * @param kvs number of KVs
 * @param bytes length of their keys and values
 */
public record Puts(long kvs, long bytes) {}
