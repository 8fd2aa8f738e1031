/**
 * The experiment that shows what the gate is for: the same stream of SSTs into RocksDB as it comes, into RocksDB with
 * two of the cures, and into a storage node. Start with {@link io.sluice.bench.gate.GateExperiment}.
 */
@NullMarked
package io.sluice.bench.gate;

import org.jspecify.annotations.NullMarked;
