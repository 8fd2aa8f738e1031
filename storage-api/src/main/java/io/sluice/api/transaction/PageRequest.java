package io.sluice.api.transaction;

/**
 * The next KVs of a key span. The arrays are not copied: do not change them.
 *
 * @param table id of a table that lies in the same tree
 * @param start first key
 * @param end first key behind
 */
@SuppressWarnings("ArrayRecordComponent")
public record PageRequest(int table, byte[] start, byte[] end) {}
