/** The HTTP client of a storage node, by the API of docs/reference/node-api.md. */
@NullMarked
package io.sluice.client;

import org.jspecify.annotations.NullMarked;
