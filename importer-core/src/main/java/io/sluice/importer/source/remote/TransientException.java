package io.sluice.importer.source.remote;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A failure that may pass: worth asking again. The message holds no credentials. */
final class TransientException extends IOException {
    private static final long serialVersionUID = 1L;
    private final long afterMillis;

    /** A failure; the server asks not to be asked again before {@code afterMillis}, or 0. */
    TransientException(String message, long afterMillis, @Nullable Throwable cause) {
        super(message, cause);
        this.afterMillis = afterMillis;
    }

    long afterMillis() {
        return afterMillis;
    }
}
