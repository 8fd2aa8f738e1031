/**
 * The HTTP API of a storage node, shared by its client and its server: paths, headers, and records for the bodies.
 * docs/reference/node-api.md describes the protocol.
 */
@NullMarked
package io.sluice.api.wire;

import org.jspecify.annotations.NullMarked;
