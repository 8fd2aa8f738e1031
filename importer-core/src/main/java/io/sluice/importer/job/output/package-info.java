/** Passes KVs from the workers' sort buffers to the nodes, in the way of each mode. */
@NullMarked
package io.sluice.importer.job.output;

import org.jspecify.annotations.NullMarked;
