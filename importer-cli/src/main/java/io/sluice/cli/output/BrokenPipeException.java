package io.sluice.cli.output;

import java.io.IOException;

/**
 * Nobody reads standard output any more, as behind {@code | head}. That is no failure, but there is nothing left to do.
 */
public final class BrokenPipeException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    BrokenPipeException(IOException cause) {
        super(cause);
    }
}
