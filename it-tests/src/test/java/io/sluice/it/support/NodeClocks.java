package io.sluice.it.support;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * The calendar clocks of node processes, each of which a test may set while the process runs. The library
 * {@code clock/clockskew.c} stands between a process and its clock; monotonic time stays true. Needs Linux and
 * {@code cc}.
 */
public final class NodeClocks {
    private static final String SOURCE = "/clock/clockskew.c";
    private static final long COMPILE_SECONDS = 60;
    private static final long PPM = 1_000_000;

    private final Path directory;
    private final Path library;

    private NodeClocks(Path directory, Path library) {
        this.directory = directory;
        this.library = library;
    }

    /** Why this machine lacks what the clocks need; empty if it has all. */
    public static String lacks() {
        if (!System.getProperty("os.name").equals("Linux")) {
            return "this machine lacks LD_PRELOAD as Linux has it";
        }
        try {
            return run("cc", "--version") == 0 ? "" : "this machine lacks cc";
        } catch (IOException e) {
            return "this machine lacks cc";
        }
    }

    /** Compiles the library into a directory, which also gets a small file for each clock. */
    public static NodeClocks make(Path directory) throws IOException {
        Path source = directory.resolve("clockskew.c");
        try (var in = Objects.requireNonNull(NodeClocks.class.getResourceAsStream(SOURCE))) {
            Files.copy(in, source);
        }
        Path library = directory.resolve("clockskew.so");
        if (run("cc", "-O2", "-shared", "-fPIC", "-o", library.toString(), source.toString(), "-ldl", "-lpthread")
                != 0) {
            throw new IOException("cc did not compile " + source);
        }
        return new NodeClocks(directory.toAbsolutePath(), library.toAbsolutePath());
    }

    private static int run(String... command) throws IOException {
        Process process = new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            return process.waitFor(COMPILE_SECONDS, TimeUnit.SECONDS) ? process.exitValue() : -1;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return -1;
        } finally {
            process.destroyForcibly();
        }
    }

    private Path file(int node) {
        return directory.resolve("clock" + node);
    }

    /** Environment of a process with the clock of a node. */
    Map<String, String> environment(int node) throws IOException {
        if (!Files.exists(file(node))) {
            set(node, Duration.ZERO, 1);
        }
        return Map.of("LD_PRELOAD", library.toString(), "CLOCK_SKEW", file(node).toString());
    }

    /**
     * Sets a clock, also that of a process that starts later.
     *
     * @param offset time by which it is ahead of the true one; negative: behind
     * @param rate its seconds per true second from now on
     */
    public void set(int node, Duration offset, double rate) throws IOException {
        Instant now = Instant.now();
        ByteBuffer numbers = ByteBuffer.allocate(3 * Long.BYTES).order(ByteOrder.nativeOrder());
        numbers.putLong(offset.toNanos());
        numbers.putLong(TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano());
        numbers.putLong(Math.round((rate - 1) * PPM));
        try (FileChannel file = FileChannel.open(file(node), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            int unused = file.write(numbers.flip(), 0);
        }
    }
}
