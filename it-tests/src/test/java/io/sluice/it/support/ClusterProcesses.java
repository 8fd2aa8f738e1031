package io.sluice.it.support;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.api.wire.ClusterBody;
import io.sluice.client.RemoteNode;
import io.sluice.it.support.SluiceProcess.Result;
import io.sluice.model.error.SluiceException;
import io.sluice.testing.FreePorts;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** Node processes that know each other as a cluster, named n0, n1 and so on. What it waits for has a minute. */
public final class ClusterProcesses implements AutoCloseable {
    private static final long WAIT_SECONDS = 60;

    private final Path directory;
    private final List<String> addresses = new ArrayList<>();
    private final List<String> consensus = new ArrayList<>();
    private final List<NodeProcess> nodes = new ArrayList<>();
    private final List<String> names = new ArrayList<>();
    private final List<Path> stores = new ArrayList<>();

    /**
     * Chooses free addresses.
     *
     * @param directory of the nodes' stores
     */
    public ClusterProcesses(Path directory, int nodes) throws IOException {
        this.directory = directory;
        for (int i = 0; i < nodes; i++) {
            names.add("n" + i);
            stores.add(directory.resolve("node" + i));
            addresses.add(FreePorts.nextAddress());
            consensus.add(FreePorts.nextAddress());
        }
    }

    /** Starts all nodes, and waits until each of them sees the others and a leader. */
    public void launchAll() throws Exception {
        for (int i = 0; i < addresses.size(); i++) {
            nodes.add(start(i));
        }
        for (NodeProcess node : nodes) {
            node.awaitReady();
        }
        for (int i = 0; i < addresses.size(); i++) {
            await(i, seen -> seen.members().size() == addresses.size() && seen.leader() != null);
        }
    }

    /** Starts a node that has ended on its store again. */
    public void relaunch(int node) throws IOException {
        nodes.set(node, start(node));
    }

    /**
     * Starts a new node with a new store at the address of one that has ended. Its address for the consensus is another
     * one, since the old node may be a member still.
     */
    public void launchNew(int node, String name) throws IOException {
        consensus.set(node, FreePorts.nextAddress());
        names.set(node, name);
        stores.set(node, directory.resolve(name));
        nodes.set(node, start(node));
    }

    /** Starts one more node; returns its number. */
    public int launchMore() throws IOException {
        addresses.add(FreePorts.nextAddress());
        consensus.add(FreePorts.nextAddress());
        int node = nodes.size();
        names.add("n" + node);
        stores.add(directory.resolve("node" + node));
        nodes.add(start(node));
        return node;
    }

    private NodeProcess start(int node) throws IOException {
        return NodeProcess.at(
                address(node),
                stores.get(node),
                "--cluster",
                String.join(",", addresses),
                "--raft-listen",
                consensus.get(node),
                "--name",
                names.get(node));
    }

    /** The store of a node. */
    public Path store(int node) {
        return stores.get(node);
    }

    public NodeProcess node(int node) {
        return nodes.get(node);
    }

    public String address(int node) {
        return addresses.get(node);
    }

    /** Waits until a node sees its cluster as described. */
    public ClusterBody await(int node, Predicate<ClusterBody> described) throws IOException, InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
        ClusterBody last = null;
        try (RemoteNode client = nodes.get(node).client()) {
            while (System.nanoTime() - end < 0) {
                try {
                    last = client.cluster();
                    if (last != null && described.test(last)) {
                        return last;
                    }
                } catch (SluiceException e) {
                    // It starts.
                }
                TimeUnit.MILLISECONDS.sleep(100);
            }
        }
        throw new AssertionError(
                "node " + node + " sees " + last + "\n" + nodes.get(node).log());
    }

    /** Runs a command on the cluster, by the address of one node. */
    public Result sluice(int node, String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--nodes", address(node)));
        return SluiceProcess.call(all.toArray(new String[0]));
    }

    /**
     * Scans a table by the address of one node, again for some time: nodes refuse rows until they have contact to most
     * members again.
     *
     * @param arguments of {@code scan}
     */
    public String scan(int node, int patienceSeconds, String... arguments) throws InterruptedException {
        List<String> scan = new ArrayList<>(List.of("scan"));
        scan.addAll(List.of(arguments));
        String[] command = scan.toArray(new String[0]);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(patienceSeconds);
        Result result = sluice(node, command);
        while (result.exitCode() != 0 && System.nanoTime() - end < 0) {
            TimeUnit.MILLISECONDS.sleep(200);
            result = sluice(node, command);
        }
        assertEquals(0, result.exitCode(), result.toString());
        return result.out();
    }

    @Override
    public void close() {
        nodes.forEach(NodeProcess::close);
    }
}
