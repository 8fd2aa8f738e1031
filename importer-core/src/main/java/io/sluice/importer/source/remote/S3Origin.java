package io.sluice.importer.source.remote;

import io.sluice.importer.source.origin.Origin;
import io.sluice.model.error.BadInputException;
import java.io.InputStream;
import java.nio.channels.SeekableByteChannel;

/** One version of an object in an S3-style store; {@code If-Match} refuses reads of another version. */
record S3Origin(String name, S3Store store, String bucket, String key, S3Version found) implements Origin {
    @Override
    public InputStream open() {
        return new ResumingStream(
                name, offset -> store.get(name, bucket, key, found, offset), found.sizeBytes(), store.backoff(), 0);
    }

    @Override
    public SeekableByteChannel openFile() {
        if (!found.known()) {
            throw new BadInputException(
                    name + ": the store names neither ETag nor Last-Modified, so that Sluice cannot tell"
                            + " whether all ranges are of the same object; fetch the object first, and import it from there");
        }
        return new RangedChannel(
                name, offset -> store.get(name, bucket, key, found, offset), found.sizeBytes(), store.backoff());
    }

    @Override
    public String version() {
        return found.toString();
    }

    /** Does nothing: stores replace objects as a whole, so an answer is of one version. */
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
