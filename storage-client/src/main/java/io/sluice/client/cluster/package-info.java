/** Several storage nodes as one client: places ranges on nodes, writes to all replicas and reads from any. */
@NullMarked
package io.sluice.client.cluster;

import org.jspecify.annotations.NullMarked;
