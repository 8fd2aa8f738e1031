/**
 * Rows that were read, kept in memory above RocksDB's blocks: a hash map from key to encoded row that knows from when
 * until when each row was what it says. It knows no database: whoever reads and writes one tells it.
 */
@NullMarked
package io.sluice.node.cache;

import org.jspecify.annotations.NullMarked;
