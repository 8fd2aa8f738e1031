/**
 * Estimates before an import: split keys that divide a table evenly, from a sample of all KVs, and the cost of each
 * mode, from a sample of the beginning of the input.
 */
@NullMarked
package io.sluice.sampler;

import org.jspecify.annotations.NullMarked;
