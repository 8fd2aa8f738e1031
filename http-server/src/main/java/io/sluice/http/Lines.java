package io.sluice.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;

/** The source of a streamed response. One thread at a time uses it; closed after the last line or a disconnect. */
public interface Lines extends AutoCloseable {
    /**
     * Appends the next lines.
     *
     * @param into buffer of the caller, valid until this method returns; each call appends some KiB
     * @return whether more lines may follow
     */
    boolean more(ByteArrayOutputStream into) throws IOException;

    @Override
    void close();
}
