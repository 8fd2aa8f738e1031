package io.sluice.importer.source.origin;

import java.io.IOException;
import java.io.InputStream;

/**
 * A place that one input's bytes come from, as they are stored there. Immutable. Its {@code toString} is fit for
 * messages: it holds no credentials.
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

    /** Whether it may be opened again and gives the same bytes. */
    boolean repeatable();

    /** Whether reading waits for others so long that it is worth a thread of its own. */
    boolean remote();
}
