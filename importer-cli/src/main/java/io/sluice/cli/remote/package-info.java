/** Options for storage nodes on a network, and the clients for them. */
@NullMarked
package io.sluice.cli.remote;

import org.jspecify.annotations.NullMarked;
