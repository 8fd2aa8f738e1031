package io.sluice.importer.source.remote;

import io.sluice.importer.source.origin.Origin;

/**
 * A remote object that exists and may be read.
 *
 * @param name name in messages; without credentials
 * @param origin opens the object
 * @param sizeBytes length in bytes, or -1 if the server does not tell
 */
public record Remote(String name, Origin origin, long sizeBytes) {}
