/** Tests of the row cache: alone, and above RocksDB. */
@NullMarked
package io.sluice.node.cache;

import org.jspecify.annotations.NullMarked;
