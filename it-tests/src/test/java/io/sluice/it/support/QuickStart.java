package io.sluice.it.support;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.rocksdb.util.Environment;

/**
 * The command that starts the program in a JVM of its own, and what makes it start in half the time: the launcher's
 * means, which are a class data archive and RocksDB's library as a file. Tests start hundreds of processes.
 *
 * <p>The first process that needs them makes both, below {@code target}, for these jars and this JVM. The jars are
 * those of the distribution, which {@code importer-cli} builds.
 */
public final class QuickStart {
    /** The JVM and its options, up to the name of the main class. */
    static final List<String> COMMAND;

    /** Environment variables for such a process: without them RocksDB starts a shell to find its library. */
    public static final Map<String, String> ENVIRONMENT =
            Map.of("ROCKSDB_MUSL_LIBC", Boolean.toString(Environment.isMuslLibc()));

    /** The program's class path. */
    public static final String CLASS_PATH;

    static final String MAIN = "io.sluice.cli.Sluice";

    static {
        List<Path> classpath = classpath();
        CLASS_PATH = classpath.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                CLASS_PATH,
                "-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"),
                "-Xmx512m",
                "-XX:TieredStopAtLevel=1",
                // Bytecode that has just been compiled, and libraries: to verify them is a sixth of a short run.
                "-XX:+UnlockDiagnosticVMOptions",
                "-XX:-BytecodeVerificationRemote",
                "-XX:+UseSerialGC"));
        try {
            command.addAll(options(command, classpath));
        } catch (Exception e) {
            throw new IllegalStateException("the class data archive was not made", e);
        }
        COMMAND = List.copyOf(command);
    }

    private QuickStart() {}

    /** Writes {@code ./sluice} into a directory: a script that runs this build's program. */
    public static void launcher(Path directory) throws IOException {
        String program = COMMAND.stream().map(word -> "'" + word + "'").collect(Collectors.joining(" "));
        Path launcher =
                Files.writeString(directory.resolve("sluice"), "#!/bin/sh\nexec " + program + " " + MAIN + " \"$@\"\n");
        Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwx------"));
    }

    /** Makes a tree of what the real launcher reads. There is no archive, so its first use makes one. */
    public static void install(Path root) throws IOException {
        Path project = Path.of("..").toRealPath();
        Files.copy(project.resolve("sluice"), root.resolve("sluice"));
        Files.createSymbolicLink(root.resolve("samples"), project.resolve("samples"));
        Path dist = root.resolve("importer-cli/target/dist");
        Path lib = Files.createDirectories(dist.resolve("lib"));
        for (Path jar : classpath()) {
            Files.createSymbolicLink(lib.resolve(String.valueOf(jar.getFileName())), jar);
        }
        Files.createFile(dist.resolve("built"));
    }

    /** The jars of the distribution, as the launcher takes them. */
    private static List<Path> classpath() {
        try (Stream<Path> jars = Files.list(Path.of("../importer-cli/target/dist/lib"))) {
            return jars.map(jar -> jar.toAbsolutePath().normalize()).sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException("build importer-cli first", e);
        }
    }

    private static List<String> options(List<String> command, List<Path> classpath) throws Exception {
        Path target = Path.of(System.getProperty("java.io.tmpdir"));
        Path ready = target.resolve("quick-start-" + Integer.toHexString(Objects.hash(command, stamps(classpath))));
        try (FileChannel channel = FileChannel.open(
                target.resolve("quick-start.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            FileLock unused = channel.lock();
            if (!Files.exists(ready)) {
                Path made = Files.createTempDirectory(target, "quick-start-new");
                unpackLibrary(made);
                new ClassArchive(command, ENVIRONMENT, made).make();
                Files.move(made, ready);
            }
        }
        // The JVM's own warnings would go to standard output.
        return List.of(
                "-Djava.library.path=" + ready,
                "-XX:SharedArchiveFile=" + ready.resolve(ClassArchive.NAME),
                "-Xlog:disable",
                "-Xlog:all=error,cds*=off:stderr");
    }

    private static List<Long> stamps(List<Path> classpath) throws IOException {
        List<Long> stamps = new ArrayList<>();
        for (Path entry : classpath) {
            if (Files.exists(entry)) {
                stamps.add(Files.size(entry));
                stamps.add(Files.getLastModifiedTime(entry).toMillis());
            }
        }
        return stamps;
    }

    private static void unpackLibrary(Path into) throws IOException {
        String inJar = Environment.getJniLibraryFileName("rocksdb");
        try (InputStream library =
                Objects.requireNonNull(Environment.class.getClassLoader().getResourceAsStream(inJar), inJar)) {
            Files.copy(library, into.resolve(Environment.getSharedLibraryFileName("rocksdb")));
        }
    }
}
