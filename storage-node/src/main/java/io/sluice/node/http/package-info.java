/**
 * The node's HTTP API: the routes of one {@code HttpServer} over one {@code StorageNode}, worked on by bounded pools,
 * never on event loops, and answered with what {@code io.sluice.api.wire} declares.
 */
@NullMarked
package io.sluice.node.http;

import org.jspecify.annotations.NullMarked;
