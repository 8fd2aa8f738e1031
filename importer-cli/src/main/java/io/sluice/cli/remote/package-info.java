/** What commands are told about storage nodes on a network, and the clients for those. */
@NullMarked
package io.sluice.cli.remote;

import org.jspecify.annotations.NullMarked;
