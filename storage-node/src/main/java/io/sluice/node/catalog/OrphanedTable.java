package io.sluice.node.catalog;

/**
 * A dropped table whose KVs remain in a shared column family. They are never read, because its id is never reused; the
 * drop of the column family frees their space.
 *
 * @param tableId its id
 * @param name its former name
 * @param family the column family that still holds its KVs
 */
public record OrphanedTable(int tableId, String name, String family) {}
