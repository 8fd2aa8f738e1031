package io.sluice.importer.source.codec;

import java.io.IOException;

/** Thrown for stored bytes that are damaged or of another format. The message names the position, not the file. */
public final class CorruptInputException extends IOException {
    private static final long serialVersionUID = 1L;

    public CorruptInputException(String message, Throwable cause) {
        super(message, cause);
    }
}
