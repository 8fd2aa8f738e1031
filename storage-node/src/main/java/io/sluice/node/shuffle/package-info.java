/**
 * An external sort of KVs: a temporary RocksDB takes them in batches in any order, survives a crash of the process, and
 * is read back once, in key order, into SSTs that do not overlap.
 */
@NullMarked
package io.sluice.node.shuffle;

import org.jspecify.annotations.NullMarked;
