package io.sluice.engine.lsm;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Reads the lines of a log with their end offsets. Ignores a last line without a line feed. */
final class LogLines implements AutoCloseable {
    private static final int BUFFER_BYTES = 256 << 10;

    private final InputStream in;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private long end;

    LogLines(Path file) throws IOException {
        this(Files.newInputStream(file));
    }

    LogLines(InputStream log) {
        in = new BufferedInputStream(log, BUFFER_BYTES);
    }

    /** The next line without its line feed, or null after the last. */
    @Nullable
    String next() throws IOException {
        line.reset();
        for (int b = in.read(); b >= 0; b = in.read()) {
            if (b == '\n') {
                end += line.size() + 1L;
                return line.toString(StandardCharsets.UTF_8);
            }
            line.write(b);
        }
        return null;
    }

    /** The offset after the last line that {@link #next} returned. */
    long end() {
        return end;
    }

    /** The length of an incomplete last line, after {@link #next} has returned null. */
    int torn() {
        return line.size();
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
