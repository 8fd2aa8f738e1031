/**
 * The row cache above RocksDB's block cache: a hash map from key to encoded row, with the sequence numbers at which
 * each row is valid. It does not access the database: readers fill it, and writers announce updates.
 */
@NullMarked
package io.sluice.engine.cache;

import org.jspecify.annotations.NullMarked;
