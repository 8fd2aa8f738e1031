/**
 * The common base of the project's HTTP servers. {@code HttpServer} listens behind one {@code Gatekeeper}, with limits
 * and bounded pools. Requests run on the pools, never on event loops. Every failure becomes a problem of
 * {@code io.sluice.api.wire}. The package is independent of the served resources.
 */
@NullMarked
package io.sluice.http;

import org.jspecify.annotations.NullMarked;
