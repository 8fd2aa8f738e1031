package io.sluice.importer.source.codec;

import java.io.IOException;

/** What is stored is damaged, or is not what it was taken for. The message says where, but not in which file. */
public final class CorruptInputException extends IOException {
    private static final long serialVersionUID = 1L;

    public CorruptInputException(String message, Throwable cause) {
        super(message, cause);
    }
}
