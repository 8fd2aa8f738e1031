/** Reads all input with several workers: splits, rows and KVs; rejects and the rate limit. */
@NullMarked
package io.sluice.importer.job.read;

import org.jspecify.annotations.NullMarked;
