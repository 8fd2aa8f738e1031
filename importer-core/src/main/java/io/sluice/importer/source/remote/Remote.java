package io.sluice.importer.source.remote;

import io.sluice.importer.source.origin.Origin;

/**
 * What a remote argument stands for: one object that was asked for and is there.
 *
 * @param name how messages call it; holds no credentials
 * @param origin how to read it
 * @param sizeBytes its length, or -1 when the server does not say
 */
public record Remote(String name, Origin origin, long sizeBytes) {}
