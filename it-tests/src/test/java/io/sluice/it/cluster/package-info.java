/**
 * Imports, reads and operations on several nodes, of which some are slow, unreachable, lost or missing from a list, and
 * on clusters with their services.
 */
@NullMarked
package io.sluice.it.cluster;

import org.jspecify.annotations.NullMarked;
