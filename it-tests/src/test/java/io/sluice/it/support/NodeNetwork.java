package io.sluice.it.support;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A network in which each node has a machine of its own: a network namespace, with a bridge to the others and to this
 * process. Packets from one node to another can be lost. Needs Linux, root and {@code ip}.
 *
 * <pre>
 *   this process    n0              n1              n2
 *   198.x.y.254     198.x.y.1       198.x.y.2       198.x.y.3
 *       |               |               |               |
 *       +---------------+--- bridge ----+---------------+
 * </pre>
 */
public final class NodeNetwork implements AutoCloseable {
    /** A hardware address that no interface has: packets to it are lost without an error. */
    private static final String NOWHERE = "02:00:00:00:00:fe";

    private static final int THIS_PROCESS = 254;

    /** Subnets of 198.18.0.0/15, which RFC 2544 keeps for tests: no network of this machine is there. */
    private static final int SUBNETS = 1 << 9;

    private static final long PATIENCE_SECONDS = 20;

    /** A line of {@code ip netns list}. */
    private static final Pattern NAMESPACE = Pattern.compile("^(sl(\\d+)n\\d+)\\b");

    /** A line of {@code ip -o link show}: the bridge, or the outer end of a node's link. */
    private static final Pattern LINK = Pattern.compile("^\\d+: (sl(\\d+)(?:p\\d+)?)[@:]");

    private final String bridge;
    private final String subnet;
    private final int nodes;

    /** Whether this machine can have such networks. */
    public static boolean available() {
        try (NodeNetwork one = new NodeNetwork(1)) {
            run(Stream.concat(one.on(0).stream(), Stream.of("true")).toArray(String[]::new));
            one.lose(0, 0);
            one.heal();
            return true;
        } catch (IOException | IllegalStateException e) {
            return false;
        }
    }

    /**
     * Removes the networks of processes that were killed, and ends the nodes on them. What it finds carries the id of
     * its process in its name; a network whose process lives stays.
     *
     * @return the names of what was removed, for the log
     */
    public static List<String> removeAbandoned() throws IOException {
        List<String> namespaces = abandoned(output("ip", "netns", "list"), NAMESPACE);
        for (String namespace : namespaces) {
            for (String node : output("ip", "netns", "pids", namespace)) {
                ProcessHandle.of(Long.parseLong(node.strip())).ifPresent(ProcessHandle::destroyForcibly);
            }
        }
        List<String> removed = new ArrayList<>();
        for (String link : abandoned(output("ip", "-o", "link", "show"), LINK)) {
            run("ip", "link", "del", link);
            removed.add(link);
        }
        for (String namespace : namespaces) {
            run("ip", "netns", "del", namespace);
            removed.add(namespace);
        }
        return removed;
    }

    /** The names in lines whose process has ended. */
    private static List<String> abandoned(List<String> lines, Pattern named) {
        return lines.stream()
                .map(named::matcher)
                .filter(Matcher::find)
                .filter(name -> isGone(name.group(2)))
                .map(name -> name.group(1))
                .toList();
    }

    /** Whether no process has the id. */
    static boolean isGone(String process) {
        return !Files.exists(Path.of("/proc", process));
    }

    /** Makes the network. */
    public NodeNetwork(int nodes) throws IOException {
        this(nodes, ProcessHandle.current().pid());
    }

    /**
     * Makes the network of a process.
     *
     * @param process its id
     */
    NodeNetwork(int nodes, long process) throws IOException {
        this.nodes = nodes;
        int number = (int) (process % SUBNETS);
        subnet = "198." + (18 + (number >> 8)) + "." + (number & 0xff) + ".";
        bridge = "sl" + process;
        run("ip", "link", "add", bridge, "type", "bridge");
        run("ip", "addr", "add", subnet + THIS_PROCESS + "/24", "dev", bridge);
        run("ip", "link", "set", bridge, "up");
        for (int i = 0; i < nodes; i++) {
            run("ip", "netns", "add", namespace(i));
            run("ip", "link", "add", outside(i), "type", "veth", "peer", "name", "eth0", "netns", namespace(i));
            run("ip", "link", "set", outside(i), "master", bridge, "up");
            run("ip", "-n", namespace(i), "addr", "add", host(i) + "/24", "dev", "eth0");
            run("ip", "-n", namespace(i), "link", "set", "eth0", "up");
            run("ip", "-n", namespace(i), "link", "set", "lo", "up");
        }
    }

    String namespace(int node) {
        return bridge + "n" + node;
    }

    private String outside(int node) {
        return bridge + "p" + node;
    }

    /** The address of a node. */
    public String host(int node) {
        return subnet + (node + 1);
    }

    /** The addresses of all nodes. */
    List<String> hosts() {
        return IntStream.range(0, nodes).mapToObj(this::host).toList();
    }

    /** Cuts one node off from some others, in both directions. */
    public void cutOff(int one, List<Integer> others) throws IOException {
        for (int other : others) {
            lose(one, other);
            lose(other, one);
        }
    }

    /** Returns the words before a command that run it on a node's machine. */
    List<String> on(int node) {
        return List.of("ip", "netns", "exec", namespace(node));
    }

    /** From now on all packets from one node to another are lost. The other direction stays as it is. */
    public void lose(int from, int to) throws IOException {
        run("ip", "-n", namespace(from), "neigh", "replace", host(to), "lladdr", NOWHERE, "dev", "eth0");
        run("ip", "-n", namespace(from), "neigh", "change", host(to), "dev", "eth0", "nud", "permanent");
    }

    /** Cuts some nodes off from all others, in both directions; this process still reaches all. */
    public void cutOff(List<Integer> some) throws IOException {
        for (int one : some) {
            cutOff(
                    one,
                    IntStream.range(0, nodes)
                            .filter(i -> !some.contains(i))
                            .boxed()
                            .toList());
        }
    }

    /** From now on no packet is lost. */
    public void heal() throws IOException {
        for (int node = 0; node < nodes; node++) {
            run("ip", "-n", namespace(node), "neigh", "flush", "nud", "permanent", "dev", "eth0");
        }
    }

    /** Removes the network; the processes on it have ended. */
    @Override
    public void close() throws IOException {
        for (int node = 0; node < nodes; node++) {
            // The kernel removes it some time after the namespace otherwise.
            run("ip", "link", "del", outside(node));
            run("ip", "netns", "del", namespace(node));
        }
        run("ip", "link", "del", bridge);
    }

    static void run(String... command) throws IOException {
        List<String> unused = output(command);
    }

    /** Runs a command that succeeds; returns the lines of its output. */
    static List<String> output(String... command) throws IOException {
        Path out = Files.createTempFile("network", ".out");
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(out.toFile())
                    .start();
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
                process.destroyForcibly();
                throw new IllegalStateException(
                        String.join(" ", command) + ": " + Files.readString(out, StandardCharsets.UTF_8));
            }
            return Files.readAllLines(out, StandardCharsets.UTF_8);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } finally {
            Files.delete(out);
        }
    }
}
