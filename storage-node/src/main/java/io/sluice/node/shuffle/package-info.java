/**
 * KVs in any order, sorted on disk: a temporary RocksDB takes them in batches, survives the end of the process, and is
 * read back once, in key order, into SSTs that do not overlap.
 */
@NullMarked
package io.sluice.node.shuffle;

import org.jspecify.annotations.NullMarked;
