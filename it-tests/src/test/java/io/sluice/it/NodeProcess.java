package io.sluice.it;

import io.sluice.importer.remote.RemoteNode;
import io.sluice.importer.remote.RemoteSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A storage node in a process of its own, on a port that is free. Closing it asks it to end, and waits. */
final class NodeProcess implements AutoCloseable {
    private static final String ANY_PORT = "127.0.0.1:0";

    private final Path store;
    private final SluiceProcess process;
    private final String url;

    private NodeProcess(Path store, SluiceProcess process, String url) {
        this.store = store;
        this.process = process;
        this.url = url;
    }

    /**
     * Starts a node and waits until it is ready; what it says goes to files beside the store.
     *
     * @param options of {@code sluice node}, besides the store and the address
     */
    static NodeProcess start(Path store, String... options) throws IOException, InterruptedException {
        return listen(store, ANY_PORT, options);
    }

    /** Starts it again on the same port and the same store; the one before must have ended. */
    NodeProcess startAgain() throws IOException, InterruptedException {
        return listen(store, address());
    }

    private static NodeProcess listen(Path store, String address, String... options)
            throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(List.of("node", "--store", store.toString(), "--listen", address));
        arguments.addAll(List.of(options));
        SluiceProcess process =
                SluiceProcess.start(store.resolveSibling(""), List.of(), arguments.toArray(new String[0]));
        return new NodeProcess(store, process, process.firstLine().substring("ready ".length()));
    }

    /** {@code http://HOST:PORT}, or {@code https}. */
    String url() {
        return url;
    }

    /** {@code HOST:PORT}. */
    String address() {
        return url.substring(url.indexOf("//") + 2);
    }

    /** A client for this node alone; the caller closes it. */
    RemoteNode client() {
        return new RemoteNode(RemoteSettings.of(address()));
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
            throw new AssertionError("the node of " + store + " did not end", e);
        }
    }
}
