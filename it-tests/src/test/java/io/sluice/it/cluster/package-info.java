/** Imports and reads on several nodes, of which some are slow, unreachable or missing from a list. */
@NullMarked
package io.sluice.it.cluster;

import org.jspecify.annotations.NullMarked;
