/**
 * The node's HTTP API: one Armeria server over one {@code StorageNode}. Requests are let in by {@code Gatekeeper},
 * worked on by bounded pools, never on event loops, and answered with what {@code io.sluice.api.wire} declares.
 */
@NullMarked
package io.sluice.node.http;

import org.jspecify.annotations.NullMarked;
