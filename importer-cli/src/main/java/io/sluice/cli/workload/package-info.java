/**
 * Test data as TPC-C describes it, made as fast as a disk takes it. A row's content follows from the seed and the row's
 * number alone, so files of any order, size and number of threads agree row by row.
 */
@NullMarked
package io.sluice.cli.workload;

import org.jspecify.annotations.NullMarked;
