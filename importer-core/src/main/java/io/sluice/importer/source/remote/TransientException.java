package io.sluice.importer.source.remote;

import io.sluice.model.thread.Backoff;
import java.io.IOException;
import java.io.InterruptedIOException;
import org.jspecify.annotations.Nullable;

/** A failure after which a retry may help. The message holds no credentials. */
final class TransientException extends IOException {
    private static final long serialVersionUID = 1L;
    private final long afterMillis;

    /** Creates a failure; the server requests a pause of {@code afterMillis}, or 0. */
    TransientException(String message, long afterMillis, @Nullable Throwable cause) {
        super(message, cause);
        this.afterMillis = afterMillis;
    }

    /** Sleeps before a retry: as the backoff says, or longer if the failure asks for it, up to the longest wait. */
    static void pause(Backoff backoff, int failures, IOException failure) throws InterruptedIOException {
        long asked = failure instanceof TransientException known ? known.afterMillis : 0;
        try {
            Thread.sleep(Math.max(backoff.jitteredMillis(failures), Math.min(asked, backoff.maxMillis())));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting to try again");
        }
    }
}
