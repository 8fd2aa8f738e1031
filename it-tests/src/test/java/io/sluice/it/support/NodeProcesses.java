package io.sluice.it.support;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Several storage nodes, each in a process and on a port of its own. */
public record NodeProcesses(List<NodeProcess> all) implements AutoCloseable {
    /** Starts so many with new stores in a directory. */
    public static NodeProcesses start(Path directory, int count) throws IOException, InterruptedException {
        List<NodeProcess> started = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                started.add(NodeProcess.launch(directory.resolve("node-" + i)));
            }
            for (NodeProcess each : started) {
                each.awaitReady();
            }
            return new NodeProcesses(List.copyOf(started));
        } catch (IOException | InterruptedException | RuntimeException | AssertionError e) {
            started.forEach(NodeProcess::close);
            throw e;
        }
    }

    /** A node by its number, from 0. */
    public NodeProcess get(int i) {
        return all.get(i);
    }

    /** As {@code --nodes} takes them. */
    public String addresses() {
        return all.stream().map(NodeProcess::address).collect(Collectors.joining(","));
    }

    @Override
    public void close() {
        all.forEach(NodeProcess::terminate);
        all.forEach(NodeProcess::close);
    }
}
