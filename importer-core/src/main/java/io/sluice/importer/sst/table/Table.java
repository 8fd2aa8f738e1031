package io.sluice.importer.sst.table;

/**
 * A finished table.
 *
 * @param entries how many KVs it holds
 * @param bytes its whole length
 * @param crc32c of all its bytes
 */
public record Table(long entries, long bytes, long crc32c) {}
