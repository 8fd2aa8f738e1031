/**
 * Whether an SST may enter now. Pure: the request, the node's load and what is remembered of the last ones in, a
 * decision out that names what limits.
 */
@NullMarked
package io.sluice.node.admit;

import org.jspecify.annotations.NullMarked;
