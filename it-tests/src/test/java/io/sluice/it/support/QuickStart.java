package io.sluice.it.support;

import io.sluice.testing.FreePorts;
import io.sluice.testing.ObjectStore;
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
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
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
    private static final String ARCHIVE = "classes.jsa";
    private static final long PATIENCE_SECONDS = 60;
    private static final long POLL_MILLIS = 20;

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
                archive(command, made);
                Files.move(made, ready);
            }
        }
        // The JVM's own warnings would go to standard output.
        return List.of(
                "-Djava.library.path=" + ready,
                "-XX:SharedArchiveFile=" + ready.resolve(ARCHIVE),
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

    /** Lists the classes that an import, a node, a member of a cluster and a statement load, and archives them. */
    private static void archive(List<String> command, Path directory) throws Exception {
        Path schema = Files.writeString(
                directory.resolve("t.sql"), "CREATE TABLE t (id INT PRIMARY KEY, s STRING, INDEX by_s (s));");
        Path rows = Files.writeString(directory.resolve("t.csv"), "1,a\n2,b\n");
        String[] load = {"import", "--schema", schema.toString(), rows.toString()};
        end(practise(command, directory, "store", load, "--store", directory.resolve("store")));
        end(practise(command, directory, "tables", new String[] {"tables"}, "--store", directory.resolve("store")));
        Process node = practise(
                command,
                directory,
                "node",
                new String[] {"node", "--listen", "127.0.0.1:0"},
                "--store",
                directory.resolve("of-node"));
        try {
            String url = url(node, directory.resolve("node.out"));
            end(practise(command, directory, "client", load, "--nodes", url));
            end(practise(command, directory, "digest", new String[] {"digest", "t"}, "--nodes", url));
            end(practise(command, directory, "sql", new String[] {"sql", "-e", "SELECT * FROM t"}, "--nodes", url));
        } finally {
            node.destroy();
            end(node);
        }
        practiseObjects(command, directory, load, rows);
        String address = FreePorts.nextAddress();
        Process member = practise(
                command,
                directory,
                "member",
                new String[] {
                    "node", "--listen", address, "--cluster", address, "--raft-listen", FreePorts.nextAddress()
                },
                "--store",
                directory.resolve("of-member"));
        try {
            end(practise(
                    command,
                    directory,
                    "status",
                    new String[] {"cluster", "status"},
                    "--nodes",
                    url(member, directory.resolve("member.out"))));
        } finally {
            member.destroy();
            end(member);
        }
        Set<String> classes = new LinkedHashSet<>();
        for (String name :
                List.of("store", "tables", "node", "client", "digest", "sql", "objects", "member", "status")) {
            classes.addAll(Files.readAllLines(directory.resolve(name + ".classes")));
        }
        Path list = Files.write(directory.resolve("classes"), classes);
        List<String> dump = new ArrayList<>(command);
        dump.addAll(List.of(
                "-Xshare:dump",
                "-XX:SharedClassListFile=" + list,
                "-XX:SharedArchiveFile=" + directory.resolve(ARCHIVE)));
        end(run(dump, directory, "dump"));
    }

    private static void practiseObjects(List<String> command, Path directory, String[] load, Path rows)
            throws Exception {
        List<String> trusted = new ArrayList<>(command);
        trusted.addAll(ObjectStore.credentials());
        try (ObjectStore objects = new ObjectStore(Files.createDirectory(directory.resolve("objects")))) {
            objects.put("bucket", "t.csv", Files.readAllBytes(rows));
            List<String> arguments = new ArrayList<>(List.of(load).subList(0, load.length - 1));
            arguments.add("s3://bucket/t.csv");
            arguments.addAll(objects.options());
            end(practise(
                    trusted,
                    directory,
                    "objects",
                    arguments.toArray(new String[0]),
                    "--store",
                    directory.resolve("of-objects")));
        }
    }

    private static Process practise(
            List<String> command, Path directory, String name, String[] arguments, String option, Object value)
            throws IOException {
        List<String> practice = new ArrayList<>(command);
        practice.add("-Djava.library.path=" + directory);
        practice.add("-XX:DumpLoadedClassList=" + directory.resolve(name + ".classes"));
        practice.add(MAIN);
        practice.addAll(List.of(arguments));
        practice.addAll(List.of(option, value.toString()));
        return run(practice, directory, name);
    }

    private static Process run(List<String> command, Path directory, String name) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectOutput(directory.resolve(name + ".out").toFile())
                .redirectError(directory.resolve(name + ".err").toFile());
        builder.environment().putAll(ENVIRONMENT);
        return builder.start();
    }

    private static void end(Process process) throws InterruptedException {
        if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
    }

    private static String url(Process node, Path out) throws IOException, InterruptedException {
        String said = "";
        while (node.isAlive() && !said.endsWith("\n")) {
            Thread.sleep(POLL_MILLIS);
            said = Files.readString(out);
        }
        return said.strip().replace("ready ", "");
    }
}
