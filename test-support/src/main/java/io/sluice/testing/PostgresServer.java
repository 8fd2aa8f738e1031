package io.sluice.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A PostgreSQL server in a directory, on a Unix socket only. It refuses to run as root; a test of root runs it as
 * {@code nobody}.
 */
public final class PostgresServer implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 120;
    private static final String PORT = "5432";

    private final Path binaries;
    private final Path directory;

    private PostgresServer(Path binaries, Path directory) {
        this.binaries = binaries;
        this.directory = directory;
    }

    /** The directory of the server's programs, or null if this machine has none. */
    public static @Nullable Path binaries() throws IOException {
        Path versions = Path.of("/usr/lib/postgresql");
        if (!Files.isDirectory(versions)) {
            return null;
        }
        try (Stream<Path> found = Files.list(versions)) {
            return found.map(version -> version.resolve("bin"))
                    .filter(each -> Files.isExecutable(each.resolve("initdb")))
                    .max(Path::compareTo)
                    .orElse(null);
        }
    }

    /** Starts a server with an empty database. The parents of the directory become readable to all users. */
    public static PostgresServer start(Path binaries, Path directory) throws IOException, InterruptedException {
        PostgresServer server = new PostgresServer(binaries, directory);
        if (isRoot()) {
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
            Path own = Files.createDirectory(directory.resolve("postgres"));
            Files.setOwner(
                    own, own.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("nobody"));
        } else {
            Files.createDirectory(directory.resolve("postgres"));
        }
        server.run("initdb", "-D", server.data(), "-A", "trust", "-U", "sluice", "-E", "UTF8", "--locale=C", "-N");
        server.run(
                "pg_ctl",
                "-D",
                server.data(),
                "-o",
                "-c listen_addresses= -c fsync=off -c port=" + PORT + " -c unix_socket_directories="
                        + directory.resolve("postgres"),
                "-l",
                directory.resolve("postgres/log").toString(),
                "-w",
                "start");
        return server;
    }

    private static boolean isRoot() {
        return System.getProperty("user.name").equals("root");
    }

    private String data() {
        return directory.resolve("postgres/data").toString();
    }

    private void run(String program, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        if (isRoot()) {
            command.addAll(List.of("setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"));
        }
        command.add(binaries.resolve(program).toString());
        command.addAll(List.of(arguments));
        execute(command, directory.resolve(program + ".out"), "");
    }

    /** Executes SQL with psql; its output goes to a file. */
    public void psql(String sql, Path output, String... options) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                binaries.resolve("psql").toString(),
                "-h",
                directory.resolve("postgres").toString(),
                "-p",
                PORT,
                "-U",
                "sluice",
                "-d",
                "postgres",
                "-X",
                "-q",
                "-v",
                "ON_ERROR_STOP=1"));
        command.addAll(List.of(options));
        execute(command, output, sql);
    }

    private void execute(List<String> command, Path output, String input) throws IOException, InterruptedException {
        Path errors = Files.createTempFile(directory, "postgres", ".err");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectOutput(output.toFile())
                .redirectError(errors.toFile());
        builder.environment().put("LC_ALL", "C");
        builder.environment().put("PGCLIENTENCODING", "UTF8");
        Process process = builder.start();
        try (var in = process.outputWriter()) {
            in.write(input);
        } catch (IOException e) {
            // It ended before it had read all; its exit code and its message say why.
        }
        if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError(command + " does not end");
        }
        if (process.exitValue() != 0) {
            throw new AssertionError(command + ": " + Files.readString(errors) + Files.readString(output));
        }
    }

    @Override
    public void close() throws IOException {
        try {
            run("pg_ctl", "-D", data(), "-m", "immediate", "-w", "stop");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while the server was stopped", e);
        }
    }
}
