/** Tests of the membership of one node; {@code ClusterMembershipIT} has several processes. */
@NullMarked
package io.sluice.node.cluster;

import org.jspecify.annotations.NullMarked;
