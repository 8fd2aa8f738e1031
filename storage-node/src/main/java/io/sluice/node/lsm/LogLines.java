package io.sluice.node.lsm;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The lines of a log with their ends as byte offsets. A last line without its line feed is cut off: it is none. */
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

    /** The next line without its line feed, or null behind the last. */
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

    /** Offset behind the last line that {@link #next} gave. */
    long end() {
        return end;
    }

    /** Length of what was cut off, once {@link #next} has given null. */
    int torn() {
        return line.size();
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
