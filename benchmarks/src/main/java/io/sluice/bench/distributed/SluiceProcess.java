package io.sluice.bench.distributed;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The program in a process of its own. */
final class SluiceProcess implements AutoCloseable {
    private final Process process;

    private SluiceProcess(Process process) {
        this.process = process;
    }

    /** @param log where its standard error goes */
    static SluiceProcess start(ProcessBuilder.Redirect log, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-cp",
                System.getProperty("java.class.path"),
                "io.sluice.cli.Sluice"));
        command.addAll(arguments);
        return new SluiceProcess(new ProcessBuilder(command).redirectError(log).start());
    }

    /** Runs it to its end, which must be a good one. */
    static void run(String... arguments) throws IOException, InterruptedException {
        SluiceProcess started = start(ProcessBuilder.Redirect.INHERIT, List.of(arguments));
        started.process.getInputStream().transferTo(System.out);
        int code = started.process.waitFor();
        if (code != 0) {
            throw new IOException("exit code " + code + " of " + List.of(arguments));
        }
    }

    /** Waits until the started node is ready, and returns its {@code HOST:PORT}. */
    String address() throws IOException {
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
