/** Tests of what asks several nodes; transactions on them are tested with statements. */
@NullMarked
package io.sluice.sql.distributed;

import org.jspecify.annotations.NullMarked;
