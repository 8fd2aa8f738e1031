package io.sluice.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.api.node.NodeClient;
import io.sluice.client.RemoteNode;
import io.sluice.client.RemoteSettings;
import io.sluice.client.cluster.Cluster;
import io.sluice.client.cluster.ClusterParticipants;
import io.sluice.it.support.DistributedCluster;
import io.sluice.it.support.NodeProcess;
import io.sluice.it.support.NodeProcesses;
import io.sluice.it.support.ServiceClient;
import io.sluice.it.support.SluiceProcess;
import io.sluice.it.support.SluiceProcess.Result;
import io.sluice.it.support.Stock;
import io.sluice.sql.SqlEngine;
import io.sluice.sql.SqlSession;
import io.sluice.sql.SqlSettings;
import io.sluice.testing.LiveFiles;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * All kinds of work at once on three nodes and a service: imports in every mode, drops, transfers, reads, jobs that
 * append, are rejected or are cancelled, and polls of health and metrics. Every answer is right, and at the end no
 * process holds more heap, handles, threads or files than after a quarter of the time.
 *
 * <p>It takes 10 seconds by default, in which pools and caches still fill: then only answers are checked. With
 * {@code -Dsluice.soak.seconds=3600} it takes an hour.
 */
@EnabledOnOs(value = OS.LINUX, disabledReason = "it reads handles and threads from /proc")
class SoakIT {
    private static final long SECONDS = Long.getLong("sluice.soak.seconds", 10);
    private static final long SEED = Long.getLong("sluice.seed", System.nanoTime());
    /** Shorter runs are over before pools are full. */
    private static final long FLAT_AFTER_SECONDS = 300;

    private static final int ACCOUNTS = 300;
    private static final int BALANCE = 100;
    private static final int ROWS = 3_000;

    /** Permitted growth from the first quarter to the end: a cache fills, a pool grows by a few threads. */
    private static final Footprint SLACK = new Footprint(32L << 20, 40, 24, 200);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path directory;

    private final AtomicInteger imports = new AtomicInteger();
    private final AtomicInteger jobs = new AtomicInteger();
    private final AtomicInteger transfers = new AtomicInteger();
    private final AtomicInteger reads = new AtomicInteger();
    private final AtomicInteger polls = new AtomicInteger();
    private volatile boolean stopped;

    /** Resources of a process: bytes of live heap, open handles, threads, and files in its directory. */
    private record Footprint(long heapBytes, long handles, long threads, long files) {
        static Footprint of(long pid, Path files) throws Exception {
            try (Stream<Path> handles = Files.list(Path.of("/proc/" + pid + "/fd"));
                    Stream<Path> threads = Files.list(Path.of("/proc/" + pid + "/task"))) {
                return new Footprint(
                        liveHeapBytes(pid),
                        handles.count(),
                        threads.count(),
                        LiveFiles.below(files).stream()
                                .filter(Footprint::isBounded)
                                .count());
            }
        }

        /** A service keeps the records of its 10,000 most recently finished jobs, so their number grows. */
        private static boolean isBounded(Path file) {
            return !file.toString().contains("/service/jobs/");
        }

        /** A histogram of classes collects all garbage first; its last line is "Total INSTANCES BYTES". */
        private static long liveHeapBytes(long pid) throws Exception {
            Process jcmd = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "jcmd")
                                    .toString(),
                            Long.toString(pid),
                            "GC.class_histogram")
                    .redirectErrorStream(true)
                    .start();
            String printed = new String(jcmd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            String total = printed.lines()
                    .filter(line -> line.startsWith("Total"))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError(printed));
            return Long.parseLong(total.strip().split(" +", -1)[2]);
        }

        boolean exceeds(Footprint earlier) {
            return heapBytes > earlier.heapBytes + SLACK.heapBytes
                    || handles > earlier.handles + SLACK.handles
                    || threads > earlier.threads + SLACK.threads
                    || files > earlier.files + SLACK.files;
        }
    }

    /** Work that is repeated until the time is over; the number of its round is handed in. */
    private interface Work {
        void round(int number) throws Exception;
    }

    @Test
    void everythingAtOnceStaysFlat() throws Exception {
        System.out.println("SoakIT: seed " + SEED + ", " + SECONDS + " s");
        Path serviceDirectory = Files.createDirectory(directory.resolve("service"));
        try (NodeProcesses nodes = NodeProcesses.start(directory, 3)) {
            SluiceProcess service = SluiceProcess.serve(
                    serviceDirectory, "127.0.0.1:0", serviceDirectory, "--memory", "128m", "--jobs", "1");
            try {
                soak(nodes, service, serviceDirectory);
            } finally {
                service.terminate();
                service.await();
            }
        }
    }

    private void soak(NodeProcesses nodes, SluiceProcess service, Path serviceDirectory) throws Exception {
        String addresses = nodes.addresses();
        importAccounts(addresses);
        Map<Long, Path> processes = new LinkedHashMap<>();
        nodes.all().forEach(node -> processes.put(node.pid(), node.store()));
        processes.put(service.pid(), serviceDirectory.resolve("store"));
        ServiceClient client = new ServiceClient(service.url());
        List<String> urls = Stream.concat(nodes.all().stream().map(NodeProcess::url), Stream.of(service.url()))
                .toList();

        ExecutorService threads = Executors.newCachedThreadPool();
        try (NodeClient cluster = new Cluster(new LinkedHashMap<>(clients(nodes)), 1)) {
            List<Future<?>> working = List.of(
                    threads.submit(() -> repeat(number -> importAndDrop(addresses, number))),
                    threads.submit(() -> repeat(number -> runJob(client, serviceDirectory, number))),
                    threads.submit(() -> transferUntilStopped(nodes)),
                    threads.submit(() -> repeat(number -> read(cluster))),
                    threads.submit(() -> repeat(number -> poll(urls))));
            List<Footprint> early = List.of();
            long begin = System.nanoTime();
            while (goesOn(System.nanoTime() - begin)) {
                if (early.isEmpty() && System.nanoTime() - begin > TimeUnit.SECONDS.toNanos(SECONDS) / 4) {
                    early = footprints(processes);
                }
                for (Future<?> each : working) {
                    if (each.isDone()) {
                        stopped = true;
                        each.get();
                    }
                }
                TimeUnit.MILLISECONDS.sleep(100);
            }
            List<Footprint> late = footprints(processes);
            stopped = true;
            for (Future<?> each : working) {
                each.get(2, TimeUnit.MINUTES);
            }
            report(early, late);
            for (int i = 0; SECONDS >= FLAT_AFTER_SECONDS && i < early.size(); i++) {
                assertFalse(
                        late.get(i).exceeds(early.get(i)),
                        "seed " + SEED + ": process " + i + " held " + early.get(i) + ", at the end " + late.get(i));
            }
        } finally {
            stopped = true;
            threads.shutdown();
            assertTrue(threads.awaitTermination(2, TimeUnit.MINUTES), "the work did not stop");
        }
        assertSums(addresses);
    }

    /** As long as it should take, and two minutes more where some work was not done once by then. */
    private boolean goesOn(long nanos) {
        long seconds = TimeUnit.NANOSECONDS.toSeconds(nanos);
        return seconds < SECONDS || (seconds < SECONDS + 120 && counts().anyMatch(count -> count == 0));
    }

    private IntStream counts() {
        return Stream.of(imports, jobs, transfers, reads, polls).mapToInt(AtomicInteger::get);
    }

    private void report(List<Footprint> early, List<Footprint> late) {
        System.out.println("SoakIT: " + imports + " imports, " + jobs + " jobs, " + transfers + " transfers, " + reads
                + " reads, " + polls + " polls; after a quarter " + early + ", at the end " + late);
        assertTrue(counts().allMatch(count -> count > 0), "seed " + SEED + ": some work was never done");
    }

    private static List<Footprint> footprints(Map<Long, Path> processes) throws Exception {
        List<Footprint> all = new ArrayList<>();
        for (Map.Entry<Long, Path> each : processes.entrySet()) {
            all.add(Footprint.of(each.getKey(), each.getValue()));
        }
        return all;
    }

    private Void repeat(Work work) throws Exception {
        for (int number = 0; !stopped; number++) {
            work.round(number);
        }
        return null;
    }

    /** A table of its own: imported, counted, dropped. */
    private void importAndDrop(String addresses, int number) throws Exception {
        String mode = List.of("direct", "merge", "two-pass").get(number % 3);
        Path schema = Files.writeString(directory.resolve("soak.sql"), Stock.SQL);
        Path rows = Stock.write(directory.resolve("soak.csv"), Stock.shuffled(ROWS, SEED + number));
        Result imported = SluiceProcess.call(
                "import",
                "--nodes",
                addresses,
                "--schema",
                schema.toString(),
                "--mode",
                mode,
                "--memory",
                "64m",
                "--json",
                rows.toString());
        assertEquals(0, imported.exitCode(), "seed " + SEED + ", round " + number + ": " + imported);
        assertEquals(ROWS, imported.report().get("rowsRead").asInt());
        Result dropped = SluiceProcess.call("drop", "stock", "--nodes", addresses);
        assertEquals(0, dropped.exitCode(), "seed " + SEED + ", round " + number + ": " + dropped);
        imports.incrementAndGet();
    }

    /** Jobs of one table: the first makes it, others add rows, have rejects or are cancelled. */
    private void runJob(ServiceClient client, Path inputs, int number) throws Exception {
        // Spread over all keys, so that the files of jobs overlap and are merged.
        List<Integer> numbers =
                IntStream.range(0, 100).mapToObj(i -> i * 10_000 + number).toList();
        Path rows = Stock.write(inputs.resolve("job-" + number + ".csv"), numbers);
        boolean rejecting = number % 5 == 3;
        if (rejecting) {
            Files.writeString(rows, "no,row\n", StandardOpenOption.APPEND);
        }
        String id = "soak-" + number;
        client.create(ServiceClient.spec(id, Stock.SQL, rows)
                .put("append", number > 0)
                .put("maxRejects", "1"));
        if (number % 7 == 5) {
            client.act(id, "cancel");
        }
        JsonNode job = client.finished(id);
        String state = job.path("state").asText();
        List<String> right = number % 7 == 5
                ? List.of("cancelled", "succeeded", "succeeded_with_rejects")
                : List.of(rejecting ? "succeeded_with_rejects" : "succeeded");
        assertTrue(right.contains(state), "seed " + SEED + ", round " + number + ": " + job);
        Files.delete(rows);
        jobs.incrementAndGet();
    }

    private Void transferUntilStopped(NodeProcesses nodes) throws Exception {
        Random random = new Random(SEED);
        try (SqlEngine engine = SqlEngine.onNodes(
                        new ClusterParticipants(clients(nodes)), SqlSettings.forNodes(), Clock.systemUTC());
                SqlSession session = engine.open()) {
            return repeat(number -> {
                int from = random.nextInt(ACCOUNTS);
                int to = (from + 1 + random.nextInt(ACCOUNTS - 1)) % ACCOUNTS;
                List<String> results = DistributedCluster.run(
                        session,
                        "BEGIN; UPDATE account SET balance = balance - 1 WHERE id = " + from
                                + "; UPDATE account SET balance = balance + 1 WHERE id = " + to + "; COMMIT;");
                String last = results.get(results.size() - 1);
                assertTrue(last.equals("commit") || last.startsWith("conflict"), "seed " + SEED + ": " + results);
                if (last.equals("commit")) {
                    transfers.incrementAndGet();
                } else {
                    List<String> unused = DistributedCluster.run(session, "ROLLBACK;");
                }
            });
        }
    }

    private void read(NodeClient cluster) {
        assertEquals(ACCOUNTS, cluster.digest("account").indexes().get(0).sum().count(), "seed " + SEED);
        reads.incrementAndGet();
    }

    private void poll(List<String> urls) throws Exception {
        HttpClient http = HttpClient.newHttpClient();
        for (int i = 0; i < 50 && !stopped; i++) {
            for (String url : urls) {
                for (String path : List.of("/healthz", "/metrics")) {
                    HttpResponse<String> answer = http.send(
                            HttpRequest.newBuilder(URI.create(url + path))
                                    .timeout(Duration.ofSeconds(20))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
                    assertEquals(200, answer.statusCode(), url + path + ": " + answer.body());
                    polls.incrementAndGet();
                }
            }
            TimeUnit.MILLISECONDS.sleep(200);
        }
    }

    private static Map<String, RemoteNode> clients(NodeProcesses nodes) {
        Map<String, RemoteNode> clients = new LinkedHashMap<>();
        for (NodeProcess node : nodes.all()) {
            RemoteSettings settings = RemoteSettings.of(node.address());
            clients.put(settings.name(), new RemoteNode(settings));
        }
        return clients;
    }

    private void importAccounts(String addresses) throws Exception {
        Path schema = Files.writeString(
                directory.resolve("account.sql"), "CREATE TABLE account (id INT PRIMARY KEY, balance INT);");
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < ACCOUNTS; i++) {
            lines.add(i + "," + BALANCE);
        }
        Path rows = Files.write(directory.resolve("account.csv"), lines);
        Result imported = SluiceProcess.call(
                "import", "--nodes", addresses, "--schema", schema.toString(), "--quiet", rows.toString());
        assertEquals(0, imported.exitCode(), imported.toString());
    }

    /** No transfer was lost, doubled or torn. */
    private void assertSums(String addresses) throws Exception {
        Result all = SluiceProcess.call("scan", "account", "--nodes", addresses);
        assertEquals(0, all.exitCode(), all.toString());
        long sum = all.out()
                .lines()
                .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(',') + 1)))
                .sum();
        assertEquals((long) ACCOUNTS * BALANCE, sum, "seed " + SEED);
    }
}
