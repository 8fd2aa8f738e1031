/**
 * KVs for databases other than Sluice's: keys and values in forms that any program reads.
 * {@code docs/how-to/rocksdb.md} describes them byte by byte.
 */
@NullMarked
package io.sluice.model.plain;

import org.jspecify.annotations.NullMarked;
