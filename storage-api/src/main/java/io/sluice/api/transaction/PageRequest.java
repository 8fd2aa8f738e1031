package io.sluice.api.transaction;

/**
 * A request for the first page of KVs in a key span. The arrays are not copied: do not change them.
 *
 * @param table id of a table in the LSM tree to read
 * @param start start of the span, inclusive
 * @param end end of the span, exclusive
 */
@SuppressWarnings("ArrayRecordComponent")
public record PageRequest(int table, byte[] start, byte[] end) {}
