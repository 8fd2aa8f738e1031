package io.sluice.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Counters of processes, as Linux has them in {@code /proc}; 0 where the kernel does not tell. */
public final class ProcessIo {
    private static final Path COUNTERS = Path.of("/proc/self/io");
    private static final String WRITTEN = "wchar:";
    /** Place of cutime after the command's name. */
    private static final int CUTIME = 13;
    /** USER_HZ is 100 on all usual machines. */
    private static final long MILLIS_PER_TICK = 10;

    private ProcessIo() {}

    /** Bytes that this process handed to write calls; links and renames are free. */
    public static long bytesWritten() {
        try {
            return Files.exists(COUNTERS) ? value(COUNTERS, WRITTEN) : 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The most memory that a process had resident; 0 if it has ended. */
    static long peakBytes(long pid) {
        try {
            return value(Path.of("/proc/" + pid + "/status"), "VmHWM:") << 10;
        } catch (IOException e) {
            return 0;
        }
    }

    /** User and system time of the children of this process that have ended, and of theirs (see proc(5), cutime). */
    static long childrenCpuMillis() {
        try {
            String stat = Files.readString(Path.of("/proc/self/stat"));
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            return (Long.parseLong(fields[CUTIME]) + Long.parseLong(fields[CUTIME + 1])) * MILLIS_PER_TICK;
        } catch (IOException e) {
            return 0;
        }
    }

    private static long value(Path file, String name) throws IOException {
        for (String line : Files.readAllLines(file)) {
            if (line.startsWith(name)) {
                return Long.parseLong(
                        line.substring(name.length()).replace("kB", "").trim());
            }
        }
        return 0;
    }
}
