/** Spark as its users run it: staged sets and tables by PyPI's PySpark and the packaged jar. */
@NullMarked
package io.sluice.it.spark;

import org.jspecify.annotations.NullMarked;
