/**
 * TPC-C test data. A row depends on the seed and the row's number only, so files of any order, size and number of
 * threads have equal rows. Threads make the rows, and one thread writes them.
 */
@NullMarked
package io.sluice.tpcc;

import org.jspecify.annotations.NullMarked;
