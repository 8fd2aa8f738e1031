/**
 * Everything that touches RocksDB: one owner of all native handles, use-counted so that closing waits for those at
 * work, and the one place where options are chosen and RocksDB's errors are put into words.
 */
@NullMarked
package io.sluice.node.store;

import org.jspecify.annotations.NullMarked;
