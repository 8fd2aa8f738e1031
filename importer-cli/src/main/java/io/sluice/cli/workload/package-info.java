/** {@code sluice workload}: writes test data and change logs with the generators of {@code io.sluice.tpcc}. */
@NullMarked
package io.sluice.cli.workload;

import org.jspecify.annotations.NullMarked;
