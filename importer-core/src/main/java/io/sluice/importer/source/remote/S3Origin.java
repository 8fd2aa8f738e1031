package io.sluice.importer.source.remote;

import io.sluice.importer.source.origin.Origin;
import java.io.InputStream;

/** One version of one object of an S3-style store; reads of another version are refused by {@code If-Match}. */
record S3Origin(String name, S3Store store, String bucket, String key, String etag, long sizeBytes) implements Origin {
    @Override
    public InputStream open() {
        return new ResumingStream(
                name, offset -> store.get(name, bucket, key, etag, offset), sizeBytes, store.backoff());
    }

    @Override
    public boolean repeatable() {
        return true;
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
