package io.sluice.node.catalog;

/**
 * A column family of a dropped table, which remains to be removed.
 *
 * @param family its name
 * @param table name of the dropped table
 */
public record PendingDrop(String family, String table) {}
