/** Tests of the row cache: alone, and above RocksDB. */
@NullMarked
package io.sluice.engine.cache;

import org.jspecify.annotations.NullMarked;
