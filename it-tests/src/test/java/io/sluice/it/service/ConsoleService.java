package io.sluice.it.service;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.it.support.SluiceProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A {@code sluice serve} in a process of its own, with a store and a directory that its jobs may read. */
final class ConsoleService implements AutoCloseable {
    /** Small buffers, so that small inputs make several SSTs. */
    private static final String MEMORY = "128m";

    private final Path directory;
    private final SluiceProcess process;
    private final HttpClient http = HttpClient.newHttpClient();

    private ConsoleService(Path directory, SluiceProcess process) {
        this.directory = directory;
        this.process = process;
    }

    /** Starts one on a port that is free; its store and its data go below a directory. */
    static ConsoleService start(Path directory, String... more) throws IOException, InterruptedException {
        Path unused = Files.createDirectories(directory.resolve("data"));
        return launch(directory, "127.0.0.1:0", more);
    }

    /** Starts it again, on the same port and the same store. */
    ConsoleService startAgain() throws IOException, InterruptedException {
        return launch(directory, URI.create(url()).getAuthority());
    }

    private static ConsoleService launch(Path directory, String address, String... more)
            throws IOException, InterruptedException {
        List<String> options = new ArrayList<>(List.of("--memory", MEMORY));
        options.addAll(List.of(more));
        SluiceProcess process =
                SluiceProcess.serve(directory, address, directory.resolve("data"), options.toArray(new String[0]));
        ConsoleService started = new ConsoleService(directory, process);
        String unused = process.firstLine();
        return started;
    }

    String url() throws IOException, InterruptedException {
        return process.url();
    }

    /** A file that jobs may read. */
    Path data(String name) {
        return directory.resolve("data").resolve(name);
    }

    /** Creates an import, as a client without a browser does. */
    void create(ObjectNode spec) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url() + "/v1/imports"))
                .header("content-type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(spec.toString()))
                .build();
        HttpResponse<String> answer = http.send(request, BodyHandlers.ofString());
        if (answer.statusCode() != 202) {
            throw new AssertionError(answer.statusCode() + " " + answer.body());
        }
    }

    /** Kills it, as the machine might, and waits until it is gone. */
    void kill() throws IOException, InterruptedException {
        SluiceProcess.Result unused = process.killAfter(0);
    }

    @Override
    public void close() {
        process.terminate();
        try {
            SluiceProcess.Result unused = process.await();
        } catch (IOException | InterruptedException e) {
            throw new AssertionError("the service of " + directory + " did not end", e);
        }
    }
}
