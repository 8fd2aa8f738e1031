package io.sluice.importer.sst.table;

/**
 * A finished table.
 *
 * @param bytes its whole length
 * @param crc32c of all its bytes
 */
public record Table(long bytes, long crc32c) {}
