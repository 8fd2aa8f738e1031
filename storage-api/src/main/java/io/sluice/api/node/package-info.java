/** The client interface of a storage node, embedded or remote: imports, rows, digests. */
@NullMarked
package io.sluice.api.node;

import org.jspecify.annotations.NullMarked;
