/**
 * The events of a store's LSM trees: a log that a running node appends to in the background, and the history read from
 * it, or from the MANIFEST of any RocksDB database. {@code sluice lsm} draws the history.
 */
@NullMarked
package io.sluice.engine.lsm;

import org.jspecify.annotations.NullMarked;
