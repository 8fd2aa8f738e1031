package io.sluice.importer.source.origin;

import io.sluice.model.error.BadInputException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.SeekableByteChannel;

/**
 * The source of one input's stored bytes, in the version that was found first: reading another version fails.
 * Immutable. Its {@code toString} is for messages and holds no credentials.
 */
public interface Origin {
    /**
     * Opens the bytes; the caller closes the stream. After a broken connection the stream resumes or fails; it never
     * ends early.
     *
     * @throws IOException when the origin cannot be read now
     * @throws io.sluice.model.error.BadInputException when it does not exist, or this user may not read it
     */
    InputStream open() throws IOException;

    /**
     * Opens the bytes at any position; the caller closes the channel. All reads are of the version that was found
     * first.
     *
     * @throws io.sluice.model.error.BadInputException when the origin can be read from its start only
     */
    default SeekableByteChannel openFile() throws IOException {
        throw new BadInputException(
                this
                        + ": this format is read from both ends, so it cannot come from a pipe; name a file, or an address of http(s) or S3");
    }

    /** Identifies the version, apart from its length; empty if the origin cannot tell versions apart. */
    String version();

    /**
     * Checks that the origin still has the version that was found first. Readers call it after the last byte, since a
     * file may be written while it is read.
     *
     * @throws io.sluice.model.error.BadInputException when it has another version
     * @throws IOException when the origin does not answer
     */
    void ensureUnchanged() throws IOException;

    /** Whether the origin can be opened again with the same bytes. */
    boolean repeatable();

    /** Whether reading waits for a network, so that a separate reading thread is worth it. */
    boolean remote();
}
