package io.sluice.engine.store;

/**
 * One key/value pair, a copy that the receiver owns.
 *
 * @param key the whole key
 * @param value the whole value
 */
@SuppressWarnings("ArrayRecordComponent")
public record Kv(byte[] key, byte[] value) {}
