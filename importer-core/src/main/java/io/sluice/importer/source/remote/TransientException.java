package io.sluice.importer.source.remote;

import java.io.IOException;
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

    long afterMillis() {
        return afterMillis;
    }
}
