package io.sluice.sql;

import io.sluice.model.error.OperationFailedException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A PostgreSQL server of its own, in a new directory; it listens on a socket in that directory only. */
final class Postgres implements AutoCloseable {
    private static final Path INSTALLED = Path.of("/usr/lib/postgresql");
    /** Separates the columns of psql's output, and what begins the line after each statement. */
    private static final String SEPARATOR = "\u001f";

    private static final String END = "\u001e";
    private static final String NULL = "\u001d";

    private final Path programs;
    private final Path directory;

    private Postgres(Path programs, Path directory) {
        this.programs = programs;
        this.directory = directory;
    }

    /**
     * The result of a statement.
     *
     * @param rows null if it failed
     */
    record Result(@Nullable List<List<@Nullable String>> rows) {}

    /** The directory of the newest version's programs; null if there is none that this user can run. */
    static @Nullable Path installed() throws IOException {
        if (!Files.isDirectory(INSTALLED) || (isRoot() && !Files.isExecutable(Path.of("/usr/sbin/runuser")))) {
            return null;
        }
        try (Stream<Path> versions = Files.list(INSTALLED)) {
            return versions.map(version -> version.resolve("bin"))
                    .filter(bin -> Files.isExecutable(bin.resolve("initdb")))
                    .max(Path::compareTo)
                    .orElse(null);
        }
    }

    private static boolean isRoot() {
        return System.getProperty("user.name").equals("root");
    }

    static Postgres start(Path programs) throws IOException {
        Path directory = Files.createTempDirectory("sluice-postgres");
        Postgres postgres = new Postgres(programs, directory);
        if (isRoot()) {
            run(List.of("chown", "postgres", directory.toString()), null);
        }
        postgres.serverCommand(
                "initdb",
                "-D",
                directory + "/data",
                "-U",
                "sluice",
                "-A",
                "trust",
                "-N",
                "--locale=C",
                "--encoding=UTF8");
        postgres.serverCommand(
                "pg_ctl",
                "-D",
                directory + "/data",
                "-w",
                "-l",
                directory + "/log",
                "-o",
                "-c listen_addresses='' -c fsync=off -c timezone=UTC -k " + directory,
                "start");
        return postgres;
    }

    /** Runs a program of the server, which refuses to run as root. */
    private void serverCommand(String program, String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        if (isRoot()) {
            command.addAll(List.of("runuser", "-u", "postgres", "--"));
        }
        command.add(programs.resolve(program).toString());
        command.addAll(Arrays.asList(arguments));
        run(command, null);
    }

    /** Executes statements, each on its own; returns their results in order. */
    List<Result> execute(List<String> statements) throws IOException {
        StringBuilder script = new StringBuilder("\\pset null '" + NULL + "'\n\\set VERBOSITY terse\n");
        for (String statement : statements) {
            script.append(statement).append(";\n\\echo '").append(END).append("' :ERROR\n");
        }
        Path file = directory.resolve("script.sql");
        Files.writeString(file, script);
        String output = run(
                List.of(
                        programs.resolve("psql").toString(),
                        "-h",
                        directory.toString(),
                        "-U",
                        "sluice",
                        "-d",
                        "postgres",
                        "-X",
                        "-q",
                        "-t",
                        "-A",
                        "-F",
                        SEPARATOR,
                        "-f",
                        file.toString()),
                directory.resolve("output"));
        List<Result> results = new ArrayList<>();
        List<List<@Nullable String>> rows = new ArrayList<>();
        for (String line : output.split("\n", -1)) {
            if (line.startsWith(END)) {
                results.add(new Result(line.endsWith("true") ? null : rows));
                rows = new ArrayList<>();
            } else {
                rows.add(row(line));
            }
        }
        if (results.size() != statements.size()) {
            throw new OperationFailedException(results.size() + " results of " + statements.size() + " statements");
        }
        return results;
    }

    private static List<@Nullable String> row(String line) {
        List<@Nullable String> row = new ArrayList<>();
        for (String text : line.split(SEPARATOR, -1)) {
            row.add(text.equals(NULL) ? null : text);
        }
        return row;
    }

    private static String run(List<String> command, @Nullable Path output) throws IOException {
        Path log = output == null ? Files.createTempFile("sluice-postgres", ".log") : output;
        Process process = new ProcessBuilder(command)
                .redirectOutput(log.toFile())
                .redirectError(
                        output == null
                                ? ProcessBuilder.Redirect.appendTo(log.toFile())
                                : ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            if (!process.waitFor(10, TimeUnit.MINUTES) || process.exitValue() != 0) {
                process.destroyForcibly();
                throw new OperationFailedException(command + " failed: " + Files.readString(log));
            }
            return output == null ? "" : Files.readString(log, StandardCharsets.UTF_8);
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new OperationFailedException("interrupted", e);
        } finally {
            if (output == null) {
                Files.delete(log);
            }
        }
    }

    @Override
    public void close() throws IOException {
        serverCommand("pg_ctl", "-D", directory + "/data", "-m", "immediate", "stop");
        run(List.of("rm", "-rf", directory.toString()), null);
    }
}
