package io.sluice.importer.source.remote;

import io.sluice.importer.source.origin.Origin;
import java.io.InputStream;

/** One version of one object of an S3-style store; reads of another version are refused by {@code If-Match}. */
record S3Origin(String name, S3Store store, String bucket, String key, S3Version found) implements Origin {
    @Override
    public InputStream open() {
        return new ResumingStream(
                name, offset -> store.get(name, bucket, key, found, offset), found.sizeBytes(), store.backoff());
    }

    @Override
    public String version() {
        return found.toString();
    }

    /** Stores replace objects whole: an answer that has begun is of one version. */
    @Override
    public void ensureUnchanged() {}

    @Override
    public boolean repeatable() {
        return found.known();
    }

    @Override
    public boolean remote() {
        return true;
    }

    @Override
    public String toString() {
        return name;
    }
}
