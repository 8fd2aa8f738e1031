package io.sluice.node.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;

/** What a response streams. Used by one thread at a time; closed when all was sent or the client has gone. */
interface Lines extends AutoCloseable {
    /**
     * Adds some more.
     *
     * @return whether there may be more behind it
     */
    boolean more(ByteArrayOutputStream into) throws IOException;

    @Override
    void close();
}
