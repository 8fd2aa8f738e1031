package io.sluice.node.catalog;

/**
 * A table that is gone but whose KVs still lie in a column family that it shared. Nothing reads them, because its id is
 * never given out again; their space is freed with the column family.
 *
 * @param tableId its id
 * @param name the name it had
 * @param family the column family that still holds its KVs
 */
public record OrphanedTable(int tableId, String name, String family) {}
