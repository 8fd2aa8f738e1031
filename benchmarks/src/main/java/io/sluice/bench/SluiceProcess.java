package io.sluice.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The program in a process of its own. */
public final class SluiceProcess implements AutoCloseable {
    private final Process process;

    private SluiceProcess(Process process) {
        this.process = process;
    }

    /**
     * Starts it on this process's class path.
     *
     * @param log where its standard error goes
     */
    public static SluiceProcess start(ProcessBuilder.Redirect log, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-cp",
                System.getProperty("java.class.path"),
                "io.sluice.cli.Sluice"));
        command.addAll(arguments);
        return new SluiceProcess(new ProcessBuilder(command).redirectError(log).start());
    }

    /** Starts it by its launcher, whose options and caches count; it writes to this process's standard error. */
    static SluiceProcess launched(String launcher, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(launcher));
        command.addAll(arguments);
        return new SluiceProcess(new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    /** User and system time of the running process until now. */
    long cpuMillis() {
        return process.info().totalCpuDuration().map(Duration::toMillis).orElse(0L);
    }

    /** Runs it to its end, which must be a good one. */
    public static void run(String... arguments) throws IOException, InterruptedException {
        SluiceProcess started = start(ProcessBuilder.Redirect.INHERIT, List.of(arguments));
        started.process.getInputStream().transferTo(System.out);
        int code = started.process.waitFor();
        if (code != 0) {
            throw new IOException("exit code " + code + " of " + List.of(arguments));
        }
    }

    /** Waits until the started node is ready, and returns its {@code HOST:PORT}. */
    public String address() throws IOException {
        BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String line = out.readLine();
        if (line == null || !line.startsWith("ready http://")) {
            throw new IOException("the node did not get ready: " + line);
        }
        return line.substring("ready http://".length());
    }

    @Override
    public void close() {
        process.destroy();
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
