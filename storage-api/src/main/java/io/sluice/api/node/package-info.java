/** A storage node as its clients see it, embedded or remote: imports, rows, digests. */
@NullMarked
package io.sluice.api.node;

import org.jspecify.annotations.NullMarked;
