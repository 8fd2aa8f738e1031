package io.sluice.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** I/O counters of this process (Linux, {@code /proc/self/io}). */
public final class ProcessIo {
    private static final Path COUNTERS = Path.of("/proc/self/io");
    private static final String WRITTEN = "wchar: ";

    private ProcessIo() {}

    /** Bytes that were handed to write calls; links and renames are free. 0 where the kernel does not tell. */
    public static long bytesWritten() {
        if (!Files.exists(COUNTERS)) {
            return 0;
        }
        try {
            for (String line : Files.readAllLines(COUNTERS)) {
                if (line.startsWith(WRITTEN)) {
                    return Long.parseLong(line.substring(WRITTEN.length()).trim());
                }
            }
            return 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
