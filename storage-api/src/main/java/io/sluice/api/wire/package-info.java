/**
 * What client and server of a storage node's HTTP API share: paths, headers, and the records that bodies are made of.
 * The protocol itself is described in docs/node-api.md.
 */
@NullMarked
package io.sluice.api.wire;

import org.jspecify.annotations.NullMarked;
