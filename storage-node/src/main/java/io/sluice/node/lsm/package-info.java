/**
 * What happens to the LSM trees of a store, event by event: a log that a running node appends to without ever waiting
 * for it, and the history that is read back from the log, or from the MANIFEST of any RocksDB database, and drawn by
 * {@code sluice lsm}.
 */
@NullMarked
package io.sluice.node.lsm;

import org.jspecify.annotations.NullMarked;
