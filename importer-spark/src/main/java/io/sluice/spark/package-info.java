/**
 * Staged sets from DataFrames and files, built on the executors of Apache Spark ({@code docs/how-to/spark.md}).
 *
 * <pre>
 *  DataFrame --(text of each cell)--+
 *  files --(decoders of an import)--+-> encode --shuffle: (index, key)--> sort --> SSTs of each attempt, at the set's place
 *                 |                     |                                             |
 *                 +-- sample: bounds    +-- sums of what was read                     +-- sums of what was written
 *                                                                                     |
 *                       driver: compares the sums, takes the winners' SSTs, writes manifest.json last, removes the rest
 *                                                                                     |
 *                                                 option nodes: ingests the set there, under the set's id
 * </pre>
 *
 * <p>Executors use Sluice's own SST writer, which is plain Java: they carry Spark's RocksDB, another version.
 *
 * <p>A task may run several times, and several attempts of one may succeed. So a task returns what it has done as its
 * result, of which Spark hands one per partition to the driver, and never through accumulators. What was read is summed
 * in records of the shuffle, of which there is one per input partition, too.
 */
@NullMarked
package io.sluice.spark;

import org.jspecify.annotations.NullMarked;
