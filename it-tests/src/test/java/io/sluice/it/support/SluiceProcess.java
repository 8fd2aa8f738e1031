package io.sluice.it.support;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.cli.Sluice;
import io.sluice.cli.output.Console;
import io.sluice.node.ingest.FaultPoints;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The program in a process of its own, with its output in files. */
public final class SluiceProcess {
    private static final long PATIENCE_SECONDS = 120;
    /** Exit code of a killed process, and of one that halted in the same way. */
    public static final int KILLED = 137;

    private static final long POLL_MILLIS = 20;

    private final Process process;
    private final Path out;
    private final Path err;

    private SluiceProcess(Process process, Path out, Path err) {
        this.process = process;
        this.out = out;
        this.err = err;
    }

    /**
     * Result of a process.
     *
     * @param exitCode its exit code
     * @param out its standard output
     * @param err its standard error
     */
    public record Result(int exitCode, String out, String err) {
        /** The report that {@code --json} printed. */
        public JsonNode report() throws IOException {
            return new ObjectMapper().readTree(out);
        }

        @Override
        public String toString() {
            return "exit code " + exitCode + "\nstdout: " + out + "\nstderr: " + err;
        }
    }

    /** Starts the program; its output goes to files in a directory. */
    public static SluiceProcess start(Path directory, List<String> jvmOptions, String... arguments) throws IOException {
        Path out = Files.createTempFile(directory, "process", ".out");
        return start(directory, jvmOptions, out, ProcessBuilder.Redirect.to(out.toFile()), arguments);
    }

    /** Starts the program with more environment variables; its output goes to files in a directory. */
    public static SluiceProcess start(Path directory, Map<String, String> environment, String... arguments)
            throws IOException {
        return start(directory, List.of(), environment, arguments);
    }

    /**
     * Starts the program by another command, on another machine of a network for example.
     *
     * @param by the words of the other command before those of this one
     */
    static SluiceProcess start(Path directory, List<String> by, Map<String, String> environment, String... arguments)
            throws IOException {
        Path out = Files.createTempFile(directory, "process", ".out");
        ProcessBuilder.Redirect toFile = ProcessBuilder.Redirect.to(out.toFile());
        return start(directory, by, environment, List.of(), out, toFile, arguments);
    }

    /** Runs the program to its end, with its standard output in a file. */
    public static Result runInto(Path out, Path directory, String... arguments)
            throws IOException, InterruptedException {
        Path none = Files.createTempFile(directory, "process", ".out");
        SluiceProcess process = start(directory, List.of(), none, ProcessBuilder.Redirect.to(out.toFile()), arguments);
        process.standardInput().close();
        return process.await();
    }

    /** Runs the program to its end with its output unread. */
    public static Result runUnread(Path directory, String... arguments) throws IOException, InterruptedException {
        Path none = Files.createTempFile(directory, "process", ".out");
        SluiceProcess process = start(directory, List.of(), none, ProcessBuilder.Redirect.PIPE, arguments);
        process.process.getInputStream().close();
        process.standardInput().close();
        return process.await();
    }

    private static SluiceProcess start(
            Path directory, List<String> jvmOptions, Path out, ProcessBuilder.Redirect redirect, String... arguments)
            throws IOException {
        return start(directory, List.of(), Map.of(), jvmOptions, out, redirect, arguments);
    }

    private static SluiceProcess start(
            Path directory,
            List<String> by,
            Map<String, String> environment,
            List<String> jvmOptions,
            Path out,
            ProcessBuilder.Redirect redirect,
            String... arguments)
            throws IOException {
        List<String> command = new ArrayList<>(by);
        command.addAll(QuickStart.COMMAND);
        command.addAll(jvmOptions);
        command.add(HaltingSluice.mainClass(jvmOptions));
        command.addAll(List.of(arguments));
        Path err = Files.createTempFile(directory, "process", ".err");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectOutput(redirect).redirectError(err.toFile());
        builder.environment().putAll(QuickStart.ENVIRONMENT);
        builder.environment().putAll(environment);
        Process process = builder.start();
        return new SluiceProcess(process, out, err);
    }

    /**
     * Starts an import service whose store lies in a directory.
     *
     * @param listen where, as {@code --listen}
     * @param root whose files jobs may read
     * @param more arguments
     */
    public static SluiceProcess serve(Path directory, String listen, Path root, String... more) throws IOException {
        return serve(directory, List.of(), listen, root, more);
    }

    /** As the other one, with options of the JVM. */
    public static SluiceProcess serve(Path directory, List<String> jvmOptions, String listen, Path root, String... more)
            throws IOException {
        List<String> arguments = new ArrayList<>(List.of(
                "serve",
                "--store",
                directory.resolve("store").toString(),
                "--listen",
                listen,
                "--allow-root",
                root.toString()));
        arguments.addAll(List.of(more));
        return start(directory, jvmOptions, arguments.toArray(new String[0]));
    }

    /** Waits for the service to start, and returns its address. */
    public String url() throws IOException, InterruptedException {
        return firstLine().substring("ready ".length());
    }

    /** Runs the program to its end, with a directory for its working directory. */
    public static Result runIn(Path directory, String... arguments) throws IOException, InterruptedException {
        SluiceProcess process = start(directory, List.of("-Duser.dir=" + directory), arguments);
        process.standardInput().close();
        return process.await();
    }

    /** Runs the program to its end. */
    public static Result run(Path directory, String... arguments) throws IOException, InterruptedException {
        return run(directory, List.of(), arguments);
    }

    /** Runs the program to its end, with options of the JVM. */
    public static Result run(Path directory, List<String> jvmOptions, String... arguments)
            throws IOException, InterruptedException {
        SluiceProcess process = start(directory, jvmOptions, arguments);
        process.standardInput().close();
        return process.await();
    }

    /** Runs a command in this process instead: for steps whose process is not what is tested. */
    public static Result call(String... arguments) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Console console = new Console(out, new PrintStream(err, true, StandardCharsets.UTF_8), false);
        int exitCode = Sluice.run(console, FaultPoints.none(), arguments);
        return new Result(exitCode, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    /** The process's standard input. */
    public OutputStream standardInput() {
        return process.getOutputStream();
    }

    /** Kills it after a while, unless it has ended by then; waits until it is gone. */
    public Result killAfter(long millis) throws IOException, InterruptedException {
        if (!process.waitFor(millis, TimeUnit.MILLISECONDS)) {
            process.destroyForcibly();
        }
        return await();
    }

    /** The first line of its standard output, once it is there. */
    public String firstLine() throws IOException, InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (System.nanoTime() - end < 0) {
            String said = Files.readString(out, StandardCharsets.UTF_8);
            int lineEnd = said.indexOf('\n');
            if (lineEnd >= 0) {
                return said.substring(0, lineEnd);
            }
            if (!process.isAlive()) {
                break;
            }
            Thread.sleep(POLL_MILLIS);
        }
        throw new AssertionError("it said nothing: " + Files.readString(err));
    }

    /** Asks it to end, as SIGTERM does. */
    public void terminate() {
        process.destroy();
    }

    /** Whether it has not ended. */
    public boolean isAlive() {
        return process.isAlive();
    }

    /** Its process id, as in {@code /proc}. */
    public long pid() {
        return process.pid();
    }

    /** Kills it, as SIGKILL does. */
    public void kill() {
        process.destroyForcibly();
    }

    /** Its standard error so far. */
    public String err() throws IOException {
        return Files.readString(err, StandardCharsets.UTF_8);
    }

    /** Waits until it has ended, at most as long as tests wait; then kills it and fails. */
    public Result await() throws IOException, InterruptedException {
        if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError("still running after " + PATIENCE_SECONDS + " s: " + Files.readString(err));
        }
        return new Result(
                process.exitValue(),
                Files.readString(out, StandardCharsets.UTF_8),
                Files.readString(err, StandardCharsets.UTF_8));
    }
}
