/**
 * The catalog of a store, durable in the column family {@code meta}: tables, imports in progress, and unfinished drops.
 * Every change is one atomic, synced write. {@link io.sluice.node.catalog.Catalog} has the tables and decides;
 * {@link io.sluice.node.catalog.RunningImports} has the imports, {@link io.sluice.node.catalog.Drops} the drops, and
 * {@link io.sluice.node.catalog.WriteGuard} keeps both away from tables whose rows are being written.
 *
 * <h2>Format, versions 1 to 3</h2>
 *
 * <p>Keys are UTF-8, values are JSON unless the table says otherwise.
 *
 * <pre>
 *   node-id                      id of the node, text
 *   next-table-id                decimal number
 *   table/NAME                   {@link io.sluice.node.catalog.TableRecord}: a published table
 *   sums/TABLE-ID                checksums of its indexes, once statements have changed them
 *   import/ID                    {@link io.sluice.node.catalog.ImportRecord}: an import that is not published
 *   receipt/IMPORT-ID/SST-ID     {@link io.sluice.node.catalog.Receipt}: an SST that the node has taken
 *   checkpoint/IMPORT-ID/KEY     bytes of the importer: stretches of input that are done, and its description
 *   drop/FAMILY                  {@link io.sluice.node.catalog.PendingDrop}: a column family that remains to be removed
 *   orphan/TABLE-ID              {@link io.sluice.node.catalog.OrphanedTable}: KVs in a shared family that no one reads
 *   tuning/FAMILY                tuning of a column family, where it is not the default
 *   prepared/TRANSACTION         a prepared branch of a distributed transaction
 *   committed/TRANSACTION        ids of the nodes that may still ask for the outcome
 *   commits-forgotten-through    time of the latest commit record that was dropped, decimal milliseconds
 *   frozen-tables                tables whose rows no statement may change, with the owners of their freezes
 *   applied/LOG                  position up to which a change log is applied, bytes
 * </pre>
 *
 * <p>Version 2 differs in the types of columns alone: TIMETZ, INTERVAL, INET, BIT, JSON and ARRAY. A store begins with
 * version 1 and gets version 2 with its first table of such a type. Version 3 differs in tables with several column
 * families: a column's record has the number of its family. Earlier builds took all columns as one family, and wrote no
 * numbers; so their tables are read as having one.
 *
 * <p>The version is that of the store, in {@code sluice-store.json}; see {@link io.sluice.engine.store.StoreDirectory}.
 * A store of a later version is refused. Within a version, records may gain members: readers skip members and keys that
 * they do not know, and treat absent members as the records' constructors say.
 */
@NullMarked
package io.sluice.node.catalog;

import org.jspecify.annotations.NullMarked;
