package io.sluice.cli.output;

import java.io.IOException;

/** Standard output is a broken pipe, as with {@code | head}: not a failure, but the command stops. */
public final class BrokenPipeException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    BrokenPipeException(IOException cause) {
        super(cause);
    }
}
