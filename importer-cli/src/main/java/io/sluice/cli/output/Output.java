package io.sluice.cli.output;

import io.sluice.model.error.OperationFailedException;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;

/**
 * Buffered UTF-8 text on standard output. Unlike a PrintStream it fails when it cannot write: a full disk must not look
 * like success. A broken pipe throws {@link BrokenPipeException}. Closing flushes and leaves the stream open. Not
 * thread-safe.
 */
public final class Output implements AutoCloseable {
    /** Standard output is a broken pipe, as with {@code | head}: not a failure, but the command stops. */
    public static final class BrokenPipeException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        BrokenPipeException(IOException cause) {
            super(cause);
        }
    }

    private static final int BUFFER_CHARS = 32 << 10;
    /** The C library's text for EPIPE; Java offers no other way to detect it. */
    private static final String BROKEN_PIPE = "Broken pipe";

    private final Writer writer;

    public Output(OutputStream out) {
        writer = new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8), BUFFER_CHARS);
    }

    public void line(CharSequence text) {
        text(text);
        text("\n");
    }

    /** Writes a part of a line. */
    public void text(CharSequence text) {
        try {
            writer.append(text);
        } catch (IOException e) {
            throw failed(e);
        }
    }

    public void flush() {
        try {
            writer.flush();
        } catch (IOException e) {
            throw failed(e);
        }
    }

    @Override
    public void close() {
        flush();
    }

    private static RuntimeException failed(IOException e) {
        if (BROKEN_PIPE.equals(e.getMessage())) {
            return new BrokenPipeException(e);
        }
        return new OperationFailedException("cannot write to standard output: " + e.getMessage(), e);
    }
}
