/** The HTTP client of a storage node, by the API of docs/node-api.md. */
@NullMarked
package io.sluice.importer.remote;

import org.jspecify.annotations.NullMarked;
