/**
 * The node's HTTP API: the routes of one {@code HttpServer} over one {@code StorageNode}. Bounded pools do the work,
 * never event loops. {@code io.sluice.api.wire} declares the bodies.
 */
@NullMarked
package io.sluice.node.http;

import org.jspecify.annotations.NullMarked;
