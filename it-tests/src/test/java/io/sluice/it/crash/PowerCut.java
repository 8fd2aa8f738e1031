package io.sluice.it.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/**
 * A directory whose processes write crash images: what a disk would hold if power failed before a call that changes
 * files. The library that does it, power/powercut.c, has the model at its top.
 *
 * @param root what is watched; exists
 * @param images where the images go
 * @param library the compiled library
 */
record PowerCut(Path root, Path images, Path library) {
    private static final String SOURCE = "/power/powercut.c";
    private static final String END = "end";
    private static final long COMPILE_SECONDS = 120;

    /**
     * An image.
     *
     * @param call the call before which it was written; {@link Long#MAX_VALUE}: at the end of the process
     * @param root a copy of the watched directory
     */
    record Image(long call, Path root) {}

    /** Watches a new directory; skips the test, with a reason, where that is not possible. */
    static PowerCut below(Path directory) throws IOException, InterruptedException {
        Assumptions.assumeTrue(
                System.getProperty("os.name").equals("Linux"),
                "this machine lacks LD_PRELOAD and its calls: they are Linux's");
        Assumptions.assumeTrue(
                Stream.of(System.getenv("PATH").split(":")).anyMatch(path -> Files.isExecutable(Path.of(path, "cc"))),
                "this machine lacks cc, which compiles powercut.c");
        Path real = directory.toRealPath();
        return below(real, compiled(real.resolve("powercut.so")));
    }

    /** Watches another new directory with the same library. */
    PowerCut another(Path directory) throws IOException {
        return below(Files.createDirectories(directory).toRealPath(), library);
    }

    private static PowerCut below(Path directory, Path library) throws IOException {
        Path root = Files.createDirectories(directory.resolve("power"));
        Path images = Files.createDirectories(directory.resolve("images"));
        return new PowerCut(root, images, library);
    }

    private static Path compiled(Path library) throws IOException, InterruptedException {
        if (Files.exists(library)) {
            return library;
        }
        Path source = library.resolveSibling("powercut.c");
        try (var in = Objects.requireNonNull(PowerCut.class.getResourceAsStream(SOURCE))) {
            Files.copy(in, source);
        }
        Path log = library.resolveSibling("powercut.log");
        Process compiler = new ProcessBuilder(
                        "cc",
                        "-O2",
                        "-shared",
                        "-fPIC",
                        "-o",
                        library.toString(),
                        source.toString(),
                        "-ldl",
                        "-lpthread")
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        boolean ended = compiler.waitFor(COMPILE_SECONDS, TimeUnit.SECONDS);
        assertEquals(0, ended ? compiler.exitValue() : -1, Files.readString(log));
        return library;
    }

    /** Environment of a process that writes images by the seed, before every so-manyth call; 1: before each. */
    Map<String, String> environment(long seed, int every) {
        Map<String, String> environment = new HashMap<>();
        environment.put("LD_PRELOAD", library.toString());
        environment.put("POWER_ROOT", root.toString());
        environment.put("POWER_IMAGES", images.toString());
        environment.put("POWER_SEED", Long.toString(seed));
        environment.put("POWER_EVERY", Integer.toString(every));
        return environment;
    }

    /** Number of calls of the process so far; 0 before its first. */
    long calls() {
        ByteBuffer counter = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
        try (FileChannel channel = FileChannel.open(images.resolve("counter"))) {
            channel.read(counter, 0);
            return counter.flip().remaining() < Long.BYTES ? 0 : counter.getLong();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Has the power of the running process fail before a call, or before the next one if that is over. */
    void cutBefore(long call) {
        ByteBuffer point = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
        try (FileChannel channel = FileChannel.open(images.resolve("counter"), StandardOpenOption.WRITE)) {
            channel.write(point.putLong(call).flip(), Long.BYTES);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** All images, in the order in which they were written. */
    List<Image> all() throws IOException {
        try (Stream<Path> files = Files.list(images)) {
            return files.filter(Files::isDirectory)
                    .map(each -> new Image(call(each.getFileName().toString()), each))
                    .sorted(Comparator.comparingLong(Image::call))
                    .toList();
        }
    }

    /** The last image, and so many of the others at most, by the seed; in the order in which they were written. */
    List<Image> some(long seed, int most) throws IOException {
        List<Image> all = new ArrayList<>(all());
        List<Image> chosen = new ArrayList<>(List.of(all.remove(all.size() - 1)));
        Collections.shuffle(all, new Random(seed));
        chosen.addAll(all.subList(0, Math.min(most, all.size())));
        chosen.sort(Comparator.comparingLong(Image::call));
        System.out.println("PowerLossIT: seed " + seed + ", " + calls() + " calls, " + chosen.size() + " images");
        return chosen;
    }

    private static long call(String name) {
        return name.equals(END) ? Long.MAX_VALUE : Long.parseLong(name);
    }
}
