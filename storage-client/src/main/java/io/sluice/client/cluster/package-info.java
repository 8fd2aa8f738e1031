/**
 * Several storage nodes as one client: places ranges on nodes, writes to all replicas and reads from any. Moves,
 * repairs, splits and compares replicas, and removes members. {@code ServiceLease} says which of several import
 * services runs the jobs of a cluster.
 */
@NullMarked
package io.sluice.client.cluster;

import org.jspecify.annotations.NullMarked;
