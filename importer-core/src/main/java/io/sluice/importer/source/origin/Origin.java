package io.sluice.importer.source.origin;

import java.io.IOException;
import java.io.InputStream;

/**
 * A place that one input's bytes come from, as they are stored there, in the version that was found first: reading
 * another version fails. Immutable. Its {@code toString} is fit for messages: it holds no credentials.
 */
public interface Origin {
    /**
     * Begins to read; the caller closes the stream. One that breaks off on the way resumes or fails, it never ends
     * early.
     *
     * @throws IOException when the place cannot be read now
     * @throws io.sluice.api.error.BadInputException when there is nothing that could be read, or not by this user
     */
    InputStream open() throws IOException;

    /**
     * Identifies the version, besides its length: another version of the same place has another text. Empty when the
     * place tells versions apart by nothing.
     */
    String version();

    /**
     * Checks that the place still holds the version that was found first. Readers call it behind the last byte, for a
     * file may be written to while it is read.
     *
     * @throws io.sluice.api.error.BadInputException when it does not
     * @throws IOException when the place cannot be asked
     */
    void ensureUnchanged() throws IOException;

    /** Whether it may be opened again and gives the same bytes. */
    boolean repeatable();

    /** Whether reading waits for others so long that it is worth a thread of its own. */
    boolean remote();
}
