/** Tests of what asks several nodes; transactions on them are tested with statements. */
@NullMarked
package io.sluice.node.distributed;

import org.jspecify.annotations.NullMarked;
