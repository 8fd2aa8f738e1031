/**
 * What any HTTP server of this project stands on: {@code HttpServer} listens behind one {@code Gatekeeper}, with all
 * limits and bounded pools; requests are worked on by those, never on event loops, and everything that goes wrong
 * becomes a problem of {@code io.sluice.api.wire}. Knows nothing of what is served.
 */
@NullMarked
package io.sluice.http;

import org.jspecify.annotations.NullMarked;
