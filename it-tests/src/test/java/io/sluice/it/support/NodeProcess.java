package io.sluice.it.support;

import io.sluice.client.RemoteNode;
import io.sluice.client.RemoteSettings;
import io.sluice.testing.Await;
import io.sluice.testing.FreePorts;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A storage node in a process of its own, on a port that is free. Closing it asks it to end, and waits. */
public final class NodeProcess implements AutoCloseable {
    private final Path store;
    private final Map<String, String> environment;
    private final SluiceProcess process;

    private NodeProcess(Path store, Map<String, String> environment, SluiceProcess process) {
        this.store = store;
        this.environment = environment;
        this.process = process;
    }

    /**
     * Starts a node and waits until it is ready; what it says goes to files beside the store.
     *
     * @param options of {@code sluice node}, besides the store and the address
     */
    public static NodeProcess start(Path store, String... options) throws IOException, InterruptedException {
        NodeProcess started = launch(store, Map.of(), FreePorts.nextAddress(), options);
        started.awaitReady();
        return started;
    }

    /**
     * Starts a node at an address and does not wait.
     *
     * @param address {@code HOST:PORT}
     * @param options of {@code sluice node}, besides the store and the address
     */
    public static NodeProcess at(String address, Path store, String... options) throws IOException {
        return launch(store, Map.of(), address, options);
    }

    /**
     * Starts a node by another command, on another machine of a network for example, and with more variables in its
     * environment; does not wait.
     */
    static NodeProcess by(
            List<String> command, Map<String, String> environment, String address, Path store, String... options)
            throws IOException {
        return launch(command, store, environment, address, options);
    }

    /** Starts a node and does not wait. */
    public static NodeProcess launch(Path store) throws IOException {
        return launch(store, Map.of(), FreePorts.nextAddress());
    }

    /** Starts a node with more variables in its environment, and does not wait. */
    public static NodeProcess launch(Path store, Map<String, String> environment) throws IOException {
        return launch(store, environment, FreePorts.nextAddress());
    }

    /** Starts it again on the same port and the same store; the one before must have ended. */
    public NodeProcess startAgain() throws IOException, InterruptedException {
        NodeProcess again = launch(store, environment, address());
        again.awaitReady();
        return again;
    }

    private static NodeProcess launch(Path store, Map<String, String> environment, String address, String... options)
            throws IOException {
        return launch(List.of(), store, environment, address, options);
    }

    private static NodeProcess launch(
            List<String> by, Path store, Map<String, String> environment, String address, String... options)
            throws IOException {
        List<String> arguments = new ArrayList<>(List.of("node", "--store", store.toString(), "--listen", address));
        arguments.addAll(List.of(options));
        return new NodeProcess(
                store,
                environment,
                SluiceProcess.start(store.resolveSibling(""), by, environment, arguments.toArray(new String[0])));
    }

    /** Waits until the node accepts requests. */
    public void awaitReady() throws IOException, InterruptedException {
        String unused = process.firstLine();
    }

    /** Waits until the log has a text. */
    public void awaitLine(String text) throws Exception {
        Await.until(
                () -> process.err().contains(text),
                () -> "the node of " + store + " did not log '" + text + "': " + process.err());
    }

    /** {@code http://HOST:PORT}, or {@code https}. */
    public String url() {
        try {
            return process.firstLine().substring("ready ".length());
        } catch (IOException | InterruptedException e) {
            throw new AssertionError("the node of " + store + " did not say where it listens", e);
        }
    }

    /** {@code HOST:PORT}. */
    public String address() {
        return url().substring(url().indexOf("//") + 2);
    }

    /** The directory of its store. */
    public Path store() {
        return store;
    }

    /** The log until now. */
    public String log() throws IOException {
        return process.err();
    }

    /** Its process id, as in {@code /proc}. */
    public long pid() {
        return process.pid();
    }

    /** A client for this node alone; the caller closes it. */
    public RemoteNode client() {
        return new RemoteNode(RemoteSettings.of(address()));
    }

    /** Kills it, as the machine might, and waits until it is gone. */
    public void kill() throws IOException, InterruptedException {
        SluiceProcess.Result unused = process.killAfter(0);
    }

    /** Waits until it has ended by itself. */
    public SluiceProcess.Result await() throws IOException, InterruptedException {
        return process.await();
    }

    /** Whether it has not ended. */
    public boolean isAlive() {
        return process.isAlive();
    }

    /** Asks it to end, and does not wait. */
    void terminate() {
        process.terminate();
    }

    @Override
    public void close() {
        terminate();
        try {
            SluiceProcess.Result unused = process.await();
        } catch (IOException | InterruptedException e) {
            throw new AssertionError("the node of " + store + " did not end", e);
        }
    }
}
