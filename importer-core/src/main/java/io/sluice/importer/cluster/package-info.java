/** Several storage nodes as one: who holds which keys, writes to all replicas of them, reads from any. */
@NullMarked
package io.sluice.importer.cluster;

import org.jspecify.annotations.NullMarked;
