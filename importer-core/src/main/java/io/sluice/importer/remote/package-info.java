/** A storage node at the other end of a network: the HTTP API of docs/node-api.md as a client uses it. */
@NullMarked
package io.sluice.importer.remote;

import org.jspecify.annotations.NullMarked;
