/**
 * JMH benchmarks of the stages of an import and of the whole, on TPC-C's stock table. Build with {@code mvn -Plauncher
 * package}, then see each class for its command. Results with their machine are in docs/benchmarks.md.
 */
@NullMarked
package io.sluice.bench;

import org.jspecify.annotations.NullMarked;
