package io.sluice.it.support;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.api.wire.ClusterBody;
import io.sluice.client.RemoteNode;
import io.sluice.client.RemoteSettings;
import io.sluice.it.support.SluiceProcess.Result;
import io.sluice.model.error.SluiceException;
import io.sluice.testing.FreePorts;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Node processes that know each other as a cluster, named n0, n1 and so on. What it waits for has a minute. They are on
 * loopback, or each on a machine of its own of a {@link NodeNetwork}, with a token and TLS.
 */
public final class ClusterProcesses implements AutoCloseable {
    private static final long WAIT_SECONDS = 60;
    /** A machine of a network has no other service. */
    private static final int SERVICE_PORT = 8080;
    /** Most characters of a node's log in a message. */
    private static final int MAX_LOG_CHARS = 20_000;

    private final Path directory;
    private final List<String> addresses = new ArrayList<>();
    private final List<String> consensus = new ArrayList<>();
    private final List<NodeProcess> nodes = new ArrayList<>();
    private final List<String> names = new ArrayList<>();
    private final List<Path> stores = new ArrayList<>();
    private final @Nullable NodeNetwork network;
    private final @Nullable Credentials credentials;
    private @Nullable NodeClocks clocks;

    /**
     * Chooses free addresses.
     *
     * @param directory of the nodes' stores
     */
    public ClusterProcesses(Path directory, int nodes) throws IOException {
        this.directory = directory;
        network = null;
        credentials = null;
        for (int i = 0; i < nodes; i++) {
            add();
        }
    }

    /**
     * Chooses addresses on a network, one node on each of its machines; machines may be left for services.
     *
     * @param directory of the nodes' stores, and of the credentials
     */
    public ClusterProcesses(Path directory, NodeNetwork network, int nodes) throws Exception {
        this.directory = directory;
        this.network = network;
        credentials = Credentials.make(directory, network.hosts());
        for (int i = 0; i < nodes; i++) {
            add();
        }
    }

    private int add() throws IOException {
        int node = names.size();
        names.add("n" + node);
        stores.add(directory.resolve("node" + node));
        addresses.add(free(node));
        consensus.add(free(node));
        return node;
    }

    private String free(int node) throws IOException {
        return network == null ? FreePorts.nextAddress() : network.host(node) + ":" + FreePorts.next();
    }

    private String url(int node) {
        return credentials == null ? address(node) : "https://" + address(node);
    }

    /** Gives each node that starts from now on a clock of its own. */
    public void setClocks(NodeClocks all) {
        clocks = all;
    }

    /** The time by a node's clock, to the second, as its answers carry it. */
    public Instant clock(int node) throws Exception {
        HttpClient.Builder client = HttpClient.newBuilder();
        if (credentials != null) {
            client.sslContext(credentials.tls());
        }
        URI url = URI.create((credentials == null ? "http://" : "https://") + address(node) + "/v1/health");
        HttpResponse<Void> answer =
                client.build().send(HttpRequest.newBuilder(url).build(), HttpResponse.BodyHandlers.discarding());
        return DateTimeFormatter.RFC_1123_DATE_TIME.parse(
                answer.headers().firstValue("date").orElseThrow(), Instant::from);
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

    /** Starts the next node, or one that has ended on its store again. */
    public void relaunch(int node) throws IOException {
        NodeProcess started = start(node);
        if (node == nodes.size()) {
            nodes.add(started);
        } else {
            nodes.set(node, started);
        }
    }

    /**
     * Starts a new node with a new store at the address of one that has ended. Its address for the consensus is another
     * one, since the old node may be a member still.
     */
    public void launchNew(int node, String name) throws IOException {
        consensus.set(node, free(node));
        names.set(node, name);
        stores.set(node, directory.resolve(name));
        nodes.set(node, start(node));
    }

    /** Starts one more node; returns its number. */
    public int launchMore() throws IOException {
        int node = add();
        nodes.add(start(node));
        return node;
    }

    private NodeProcess start(int node) throws IOException {
        List<String> options = new ArrayList<>(List.of(
                "--cluster",
                String.join(",", urls()),
                "--raft-listen",
                consensus.get(node),
                "--name",
                names.get(node)));
        if (credentials != null) {
            options.addAll(credentials.ofMember());
        }
        return NodeProcess.by(
                network == null ? List.of() : network.on(node),
                clocks == null ? Map.of() : clocks.environment(node),
                address(node),
                stores.get(node),
                options.toArray(new String[0]));
    }

    /**
     * Starts an import service for the cluster on a machine of the network that has no node.
     *
     * @param own directory for its state and its output
     */
    public SluiceProcess serve(int machine, Path own, String... more) throws IOException {
        if (network == null || credentials == null) {
            throw new IllegalStateException("the nodes are on loopback");
        }
        List<String> arguments = new ArrayList<>(List.of(
                "serve",
                "--nodes",
                String.join(",", urls()),
                "--state",
                own.resolve("state").toString(),
                "--listen",
                network.host(machine) + ":" + SERVICE_PORT,
                "--allow-root",
                directory.toString()));
        arguments.addAll(credentials.ofServer());
        arguments.addAll(List.of("--tls-trust", credentials.certificate().toString()));
        arguments.addAll(List.of(more));
        return SluiceProcess.start(own, network.on(machine), Map.of(), arguments.toArray(new String[0]));
    }

    /** A client of the service on a machine of the network. */
    public ServiceClient serviceOn(int machine) throws Exception {
        if (network == null || credentials == null) {
            throw new IllegalStateException("the nodes are on loopback");
        }
        return new ServiceClient("https://" + network.host(machine) + ":" + SERVICE_PORT, credentials);
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
        try (RemoteNode client = new RemoteNode(access(url(node)))) {
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
        throw new AssertionError("node " + node + " sees " + last + "\n" + described());
    }

    /** Describes what each node sees of its cluster, with the end of its log. */
    public String described() throws IOException {
        StringBuilder text = new StringBuilder();
        for (int node = 0; node < nodes.size(); node++) {
            text.append("node ")
                    .append(names.get(node))
                    .append(" at ")
                    .append(url(node))
                    .append(" sees ");
            try (RemoteNode client = new RemoteNode(access(url(node)).withPatience(1_000, 1_000))) {
                text.append(client.cluster());
            } catch (SluiceException e) {
                text.append(e.getMessage());
            }
            String log = nodes.get(node).log();
            text.append('\n').append(log, Math.max(0, log.length() - MAX_LOG_CHARS), log.length());
        }
        return text.toString();
    }

    /** Runs a command on the cluster, by the address of one node. */
    public Result sluice(int node, String... arguments) {
        return sluice(url(node), arguments);
    }

    /** Runs a command on the cluster, by the addresses of all nodes. */
    public Result sluice(String... arguments) {
        return sluice(String.join(",", urls()), arguments);
    }

    private Result sluice(String known, String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--nodes", known));
        if (credentials != null) {
            all.addAll(credentials.ofClient());
        }
        return SluiceProcess.call(all.toArray(new String[0]));
    }

    /** The nodes as {@code --nodes} has them. */
    public List<String> urls() {
        return IntStream.range(0, addresses.size()).mapToObj(this::url).toList();
    }

    /** Settings of a client for one of {@link #urls}, or for another node of the cluster. */
    public RemoteSettings access(String url) {
        return credentials == null ? RemoteSettings.of(url) : credentials.ofClient(url);
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
