package io.sluice.node.catalog;

/**
 * A column family that belongs to no table any more and is to be removed.
 *
 * @param family its name
 * @param table name of the table it was of
 */
public record PendingDrop(String family, String table) {}
