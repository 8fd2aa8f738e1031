package io.sluice.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A library that makes syncs of write-ahead logs fail with EIO, as a disk does, while a file is there. It is compiled
 * here and loaded before the C library.
 */
public final class FailingSync {
    private static final String SOURCE = """
            #define _GNU_SOURCE
            #include <dlfcn.h>
            #include <errno.h>
            #include <stdio.h>
            #include <stdlib.h>
            #include <string.h>
            #include <unistd.h>
            static int fails(int fd) {
                const char *trigger = getenv("FAILING_SYNC");
                char link[64], path[4096];
                ssize_t length;
                if (!trigger || access(trigger, F_OK) != 0) return 0;
                snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
                length = readlink(link, path, sizeof path - 1);
                if (length < 4) return 0;
                path[length] = 0;
                const char *part = getenv("FAILING_SYNC_ONCE");
                if (part) return strstr(path, part) && unlink(trigger) == 0;
                return strcmp(path + length - 4, ".log") == 0;
            }
            #define SYNC(name) int name(int fd) { \\
                static int (*real)(int); \\
                if (!real) real = (int (*)(int)) dlsym(RTLD_NEXT, #name); \\
                if (fails(fd)) { errno = EIO; return -1; } \\
                return real(fd); }
            SYNC(fsync)
            SYNC(fdatasync)
            """;

    private static final String SAID = "said: ";

    private final Path library;
    private final Path directory;

    private FailingSync(Path library, Path directory) {
        this.library = library;
        this.directory = directory;
    }

    /** Compiles it; null when this machine has no C compiler or is not Linux. */
    public static @Nullable FailingSync compile(Path directory) throws IOException, InterruptedException {
        if (!Files.isDirectory(Path.of("/proc/self/fd"))) {
            return null;
        }
        Path source = Files.writeString(directory.resolve("failing-sync.c"), SOURCE);
        Path library = directory.resolve("failing-sync.so");
        try {
            Process compiler = new ProcessBuilder(
                            "cc", "-shared", "-fPIC", "-o", library.toString(), source.toString(), "-ldl")
                    .inheritIO()
                    .start();
            return compiler.waitFor() == 0 ? new FailingSync(library, directory) : null;
        } catch (IOException e) {
            return null;
        }
    }

    /** Prints a line for the process that has started this one, among the lines of its logger. */
    public static void say(Object line) {
        System.out.println(SAID + line);
    }

    /** The lines that a process has said. */
    public static List<String> said(BufferedReader output) {
        return output.lines()
                .filter(line -> line.startsWith(SAID))
                .map(line -> line.substring(SAID.length()))
                .toList();
    }

    /** Environment variables for the process. */
    public Map<String, String> environment(String name) {
        return Map.of(
                "LD_PRELOAD", library.toString(), "FAILING_SYNC", trigger(name).toString());
    }

    /**
     * Environment variables for a process in which one sync of another file fails: that ends the failures.
     *
     * @param part a part of the file's path
     */
    public Map<String, String> environmentOnce(String name, String part) {
        return Map.of(
                "LD_PRELOAD", library.toString(), "FAILING_SYNC", trigger(name).toString(), "FAILING_SYNC_ONCE", part);
    }

    /** While this file exists, syncs of that process fail. */
    public Path trigger(String name) {
        return directory.resolve(name + ".fails");
    }

    /** From now on syncs of that process fail. */
    public void fail(String name) throws IOException {
        Files.createFile(trigger(name));
    }

    /** From now on syncs of that process succeed. */
    public void heal(String name) throws IOException {
        Files.delete(trigger(name));
    }
}
