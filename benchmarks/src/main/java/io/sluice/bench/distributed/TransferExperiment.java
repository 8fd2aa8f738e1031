package io.sluice.bench.distributed;

import io.sluice.api.wire.ClusterBody;
import io.sluice.bench.SluiceProcess;
import io.sluice.client.RemoteNode;
import io.sluice.client.RemoteSettings;
import io.sluice.client.cluster.ClusterParticipants;
import io.sluice.client.cluster.NamedNodes;
import io.sluice.grammar.SqlScript;
import io.sluice.grammar.StatementResult;
import io.sluice.grammar.StatementText;
import io.sluice.sql.SqlEngine;
import io.sluice.sql.SqlSession;
import io.sluice.sql.SqlSettings;
import io.sluice.testing.TcpProxy;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Measures a bank transfer on tables that are sharded over three node processes, with added latency to each of them. A
 * transfer is a transaction of a SELECT, three INSERTs and two UPDATEs. It runs serially, and with RETURNING NOTHING on
 * the writes; the two alternate. At 0 ms there is no proxy in between. It prints medians and means of the transfers'
 * times. At last it compares nodes of a list with those of a cluster, whose replicated log decides transactions.
 *
 * <p>{@code java -cp "benchmarks/target/classes:benchmarks/target/lib/*" io.sluice.bench.distributed.TransferExperiment
 * [directory for the stores, a temporary one] [share of the transfers, 1]}
 */
public final class TransferExperiment {
    private static final int NODES = 3;
    private static final int ACCOUNTS = 30_000;
    private static final int WARM_UP = 1500;
    private static final long SEED = 7;
    private static final double[] ROUND_TRIPS_MILLIS = {0, 2, 10, 50};
    private static final int[] TRANSFERS = {400, 300, 120, 40};
    private static final int CLUSTER_TRANSFERS = 1000;
    private static final long CLUSTER_WAIT_MILLIS = 200;

    private final PrintStream out;
    private final Path directory;
    private final double share;
    private final SplittableRandom random = new SplittableRandom(SEED);
    private int next = ACCOUNTS;

    private TransferExperiment(PrintStream out, Path directory, double share) {
        this.out = out;
        this.directory = directory;
        this.share = share;
    }

    /** See above. */
    public static void main(String[] args) throws Exception {
        Path directory = args.length > 0 ? Path.of(args[0]) : Files.createTempDirectory("transfers");
        new TransferExperiment(System.out, directory, args.length > 1 ? Double.parseDouble(args[1]) : 1).run();
    }

    private void run() throws Exception {
        List<SluiceProcess> nodes = new ArrayList<>();
        try {
            List<String> addresses = new ArrayList<>();
            for (int i = 0; i < NODES; i++) {
                String store = directory.resolve("node" + i).toString();
                SluiceProcess node = SluiceProcess.start(
                        ProcessBuilder.Redirect.to(new File(store + ".log")),
                        List.of("node", "--store", store, "--listen", "127.0.0.1:0"));
                nodes.add(node);
                addresses.add(node.address());
            }
            importTables(String.join(",", addresses));
            out.println("load average at the beginning: " + load());
            out.println("| added round trip | serial, median (mean) | RETURNING NOTHING, median (mean) | less time |");
            out.println("|---|---|---|---|");
            for (int i = 0; i < ROUND_TRIPS_MILLIS.length; i++) {
                measure(addresses, ROUND_TRIPS_MILLIS[i], (int) (TRANSFERS[i] * share), i == 0 ? WARM_UP : 50);
            }
            List<String> members = startCluster(nodes);
            importTables(members.get(0));
            compare(addresses, members, (int) (CLUSTER_TRANSFERS * share));
            out.println("load average at the end: " + load());
        } finally {
            nodes.forEach(SluiceProcess::close);
        }
    }

    private static String freeAddress() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return "127.0.0.1:" + socket.getLocalPort();
        }
    }

    /** Starts nodes that found a cluster; returns their addresses when all are members. */
    private List<String> startCluster(List<SluiceProcess> nodes) throws IOException, InterruptedException {
        List<String> members = new ArrayList<>();
        for (int i = 0; i < NODES; i++) {
            members.add(freeAddress());
        }
        for (int i = 0; i < NODES; i++) {
            String store = directory.resolve("member" + i).toString();
            String list = String.join(",", members);
            SluiceProcess node = SluiceProcess.start(
                    ProcessBuilder.Redirect.to(new File(store + ".log")),
                    List.of(
                            "node",
                            "--store",
                            store,
                            "--listen",
                            members.get(i),
                            "--cluster",
                            list,
                            "--raft-listen",
                            freeAddress(),
                            "--name",
                            "m" + i));
            nodes.add(node);
        }
        for (SluiceProcess node : nodes.subList(nodes.size() - NODES, nodes.size())) {
            String unused = node.address();
        }
        for (String address : members) {
            try (RemoteNode node = new RemoteNode(RemoteSettings.of(address))) {
                ClusterBody cluster = node.cluster();
                while (cluster == null || cluster.members().size() < NODES) {
                    Thread.sleep(CLUSTER_WAIT_MILLIS);
                    cluster = node.cluster();
                }
            }
        }
        return members;
    }

    /** Transfers on the nodes of a list and on those of a cluster, in turns. */
    private void compare(List<String> listed, List<String> members, int transfers) {
        try (SqlEngine list = engine(listed);
                SqlSession onList = list.open();
                SqlEngine cluster = engine(members);
                SqlSession onCluster = cluster.open()) {
            for (int i = 0; i < transfers / 2; i++) {
                double unused = transfer(onList, true) + transfer(onCluster, true);
            }
            double[] a = new double[transfers];
            double[] b = new double[transfers];
            for (int i = 0; i < transfers; i++) {
                a[i] = transfer(onList, true);
                b[i] = transfer(onCluster, true);
            }
            out.printf(
                    Locale.ROOT,
                    "list %.2f ms (%.2f), cluster %.2f ms (%.2f), ratio %.2f (%.2f)%n",
                    median(a),
                    mean(a),
                    median(b),
                    mean(b),
                    median(b) / median(a),
                    mean(b) / mean(a));
        }
    }

    private static SqlEngine engine(List<String> addresses) {
        return SqlEngine.onNodes(
                new NamedNodes(addresses, RemoteSettings::of).participants(),
                SqlSettings.forNodes(),
                Clock.systemUTC());
    }

    private static double load() {
        return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    }

    private void importTables(String nodes) throws IOException, InterruptedException {
        List<String> accounts = new ArrayList<>();
        List<String> transfers = new ArrayList<>();
        List<String> legs = new ArrayList<>();
        for (int i = 0; i < ACCOUNTS; i++) {
            accounts.add(i + ",1000000");
            transfers.add(i + ",imported");
            legs.add(i + "," + i + ",1");
        }
        table(nodes, "account", "id INT PRIMARY KEY, balance INT NOT NULL", accounts);
        table(nodes, "transfer", "id INT PRIMARY KEY, note STRING", transfers);
        table(nodes, "leg", "transfer INT, account INT, amount INT, PRIMARY KEY (transfer, account)", legs);
    }

    private void table(String nodes, String name, String columns, List<String> rows)
            throws IOException, InterruptedException {
        Path schema =
                Files.writeString(directory.resolve(name + ".sql"), "CREATE TABLE " + name + " (" + columns + ");");
        Path input = Files.write(directory.resolve(name + ".csv"), rows);
        SluiceProcess.run(
                "import",
                "--nodes",
                nodes,
                "--schema",
                schema.toString(),
                "--table",
                name,
                "--quiet",
                input.toString());
    }

    private void measure(List<String> addresses, double roundTripMillis, int transfers, int warmUp) throws IOException {
        List<TcpProxy> proxies = new ArrayList<>();
        Map<String, RemoteNode> clients = new LinkedHashMap<>();
        for (String address : addresses) {
            String reached = address;
            if (roundTripMillis > 0) {
                TcpProxy proxy = TcpProxy.delaying(address, roundTripMillis);
                proxies.add(proxy);
                reached = proxy.address();
            }
            RemoteSettings settings = RemoteSettings.of(reached);
            clients.put(settings.name(), new RemoteNode(settings));
        }
        try (SqlEngine engine =
                        SqlEngine.onNodes(new ClusterParticipants(clients), SqlSettings.forNodes(), Clock.systemUTC());
                SqlSession session = engine.open()) {
            for (int i = 0; i < warmUp; i++) {
                transfer(session, i % 2 == 0);
            }
            double[] serial = new double[transfers];
            double[] parallel = new double[transfers];
            for (int i = 0; i < transfers; i++) {
                serial[i] = transfer(session, false);
                parallel[i] = transfer(session, true);
            }
            out.printf(
                    Locale.ROOT,
                    "| %.0f ms | %.2f ms (%.2f) | %.2f ms (%.2f) | %.0f%% (%.0f%%) |%n",
                    roundTripMillis,
                    median(serial),
                    mean(serial),
                    median(parallel),
                    mean(parallel),
                    100 * (1 - median(parallel) / median(serial)),
                    100 * (1 - mean(parallel) / mean(serial)));
        } finally {
            for (TcpProxy proxy : proxies) {
                proxy.close();
            }
        }
    }

    private static double median(double[] millis) {
        double[] sorted = millis.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    private static double mean(double[] millis) {
        return Arrays.stream(millis).average().orElseThrow();
    }

    /** Another transfer, and how many milliseconds it took. */
    private double transfer(SqlSession session, boolean background) {
        int from = random.nextInt(ACCOUNTS);
        int to = (from + 1 + random.nextInt(ACCOUNTS - 1)) % ACCOUNTS;
        int id = next++;
        String end = background ? " RETURNING NOTHING" : "";
        List<StatementText> statements = List.of(
                statement("BEGIN"),
                statement("SELECT id, balance FROM account WHERE id IN (?, ?)", from, to),
                statement("INSERT INTO transfer VALUES (?, 'a transfer')" + end, id),
                statement("INSERT INTO leg VALUES (?, ?, -10)" + end, id, from),
                statement("INSERT INTO leg VALUES (?, ?, 10)" + end, id, to),
                statement("UPDATE account SET balance = balance - 10 WHERE id = ?" + end, from),
                statement("UPDATE account SET balance = balance + 10 WHERE id = ?" + end, to),
                statement("COMMIT"));
        long start = System.nanoTime();
        for (StatementText statement : statements) {
            StatementResult result = session.execute(statement);
            if (result instanceof StatementResult.Failed failed) {
                throw new IllegalStateException(statement + ": " + failed.message());
            }
        }
        return (System.nanoTime() - start) / 1e6;
    }

    private static StatementText statement(String text, int... parameters) {
        return SqlScript.split(text)
                .get(0)
                .with(Arrays.stream(parameters).mapToObj(Integer::toString).toList());
    }
}
