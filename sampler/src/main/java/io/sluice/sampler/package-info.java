/**
 * What can be known of an import before it happens: keys that divide a table evenly, by a sample of all KVs, and what
 * each mode would do, by a look at the beginning of the input.
 */
@NullMarked
package io.sluice.sampler;

import org.jspecify.annotations.NullMarked;
