package io.sluice.node.store;

/**
 * How much was Put.
 *
 * @param kvs how many KVs
 * @param bytes length of their keys and values
 */
public record Puts(long kvs, long bytes) {}
