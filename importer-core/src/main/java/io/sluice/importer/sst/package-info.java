/**
 * Step 5: cuts a sorted stream of KVs into SSTs, in files or in memory. {@code table} writes their bytes in plain Java;
 * RocksDB's own writer is the alternative. No other package of the importer uses RocksDB.
 */
@NullMarked
package io.sluice.importer.sst;

import org.jspecify.annotations.NullMarked;
