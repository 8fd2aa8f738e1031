package io.sluice.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;

/** What a response streams. Used by one thread at a time; closed when all was sent or the client has gone. */
public interface Lines extends AutoCloseable {
    /**
     * Adds some more.
     *
     * @param into belongs to the caller; it may be added to until this returns, some KiB at a time
     * @return whether there may be more behind it
     */
    boolean more(ByteArrayOutputStream into) throws IOException;

    @Override
    void close();
}
