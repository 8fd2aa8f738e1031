/**
 * The only package that calls a store's RocksDB: one owner of all native handles, use-counted so that closing waits for
 * running calls; the RocksDB options; and the messages of RocksDB's errors. The shuffle has databases of its own.
 */
@NullMarked
package io.sluice.engine.store;

import org.jspecify.annotations.NullMarked;
