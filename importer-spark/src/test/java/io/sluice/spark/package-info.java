/** Tests of staged sets that Spark builds, in a local Spark of two threads. */
@NullMarked
package io.sluice.spark;

import org.jspecify.annotations.NullMarked;
