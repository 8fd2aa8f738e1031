package io.sluice.it.imports;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.it.support.ServiceClient;
import io.sluice.it.support.SluiceProcess;
import io.sluice.it.support.Stock;
import io.sluice.testing.SomeTests;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Processes with a memory budget, and the heap that the launcher gives them for it, stay within 500 MB more than the
 * budget. {@code -Plong} runs 300 jobs, and an import of 1.2 GB.
 */
@SomeTests(1)
class MemoryIT {
    private static final long MIB = 1L << 20;
    private static final long MORE_BYTES = 500 * MIB;
    private static final long SERVICE_BYTES = 256 * MIB;
    private static final int JOBS = Integer.getInteger("sluice.it.memory.jobs", 30);
    private static final int WAREHOUSES = Integer.getInteger("sluice.it.memory.warehouses", 3);
    private static final long SEED = 9;
    private static final long PATIENCE_SECONDS = 600;

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    Path directory;

    /** Options of the JVM as the launcher would choose them for a budget. */
    private static List<String> launched(String budget, String command) throws Exception {
        Path launcher = Path.of("..", "sluice").toAbsolutePath().normalize();
        assumeTrue(
                Files.isExecutable(Path.of("/bin/bash")),
                "this machine lacks /bin/bash, which asks the launcher for the heap");
        Process asked = new ProcessBuilder(
                        "/bin/bash",
                        "-c",
                        "eval \"$(sed -n '/^option_of() {/,/^}/p;/^mib_of() {/,/^}/p;/^heap_mib() {/,/^}/p' '"
                                + launcher + "')\"; heap_mib " + command + " --memory " + budget)
                .redirectErrorStream(true)
                .start();
        String mib = new String(asked.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        assertTrue(mib.matches("[0-9]+"), mib);
        return List.of(
                "-Xmx" + mib + "m",
                "-Xmn16m",
                "-XX:-UseSerialGC",
                "-XX:+UseParallelGC",
                "-XX:InitialRAMPercentage=1",
                "-XX:MinHeapFreeRatio=5",
                "-XX:MaxHeapFreeRatio=20");
    }

    @Test
    void manySmallJobsStayWithinTheBudgetAndTheIdleServiceGivesMemoryBack() throws Exception {
        Path file = Stock.write(directory.resolve("stock.csv"), Stock.shuffled(10_000, SEED));
        SluiceProcess service = SluiceProcess.start(
                directory,
                launched("256m", "serve"),
                "serve",
                "--store",
                directory.resolve("store").toString(),
                "--listen",
                "127.0.0.1:0",
                "--allow-root",
                directory.toString(),
                "--memory",
                "256m");
        try {
            ServiceClient client = new ServiceClient(service.url());
            long peak = 0;
            for (int i = 0; i < JOBS; i++) {
                String id = "job" + i;
                client.create(ServiceClient.spec(id, Stock.SQL.replace("TABLE stock", "TABLE " + id), file));
                peak = Math.max(peak, residentBytes(service.pid()));
                JsonNode done = client.finished(id);
                assertEquals("succeeded", done.path("state").asText(), done.toString());
                peak = Math.max(peak, residentBytes(service.pid()));
            }
            assertTrue(peak <= SERVICE_BYTES + MORE_BYTES, "peak " + peak / MIB + " MiB after " + JOBS + " jobs");
            long heap = metric(client, "sluice_service_memory_heap_committed_bytes");
            assertEquals(SERVICE_BYTES, metric(client, "sluice_service_memory_budget_bytes"));
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            while (metric(client, "sluice_service_memory_heap_used_bytes") > SERVICE_BYTES / 4
                    && System.nanoTime() - end < 0) {
                Thread.sleep(100);
            }
            long used = metric(client, "sluice_service_memory_heap_used_bytes");
            assertTrue(used <= SERVICE_BYTES / 4, used / MIB + " MiB are in use by an idle service");
            long idle = metric(client, "sluice_service_memory_heap_committed_bytes");
            assertTrue(idle <= heap, idle / MIB + " MiB of heap when idle, " + heap / MIB + " MiB before");
            System.out.println("service: peak " + peak / MIB + " MiB, heap " + heap / MIB + " MiB, idle " + idle / MIB
                    + " MiB, resident " + residentBytes(service.pid()) / MIB + " MiB");
        } finally {
            service.terminate();
            SluiceProcess.Result unused = service.await();
        }
    }

    private static long metric(ServiceClient client, String name) {
        return client.get("/metrics")
                .body()
                .lines()
                .filter(line -> line.startsWith(name + " "))
                .mapToLong(line -> (long) Double.parseDouble(line.substring(name.length() + 1)))
                .findFirst()
                .orElse(-1);
    }

    private static long residentBytes(long pid) throws IOException {
        Path status = Path.of("/proc", Long.toString(pid), "status");
        assumeTrue(Files.isReadable(status), "this machine lacks /proc, which tells the memory of a process");
        return Files.readAllLines(status).stream()
                        .filter(line -> line.startsWith("VmRSS:"))
                        .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
                        .findFirst()
                        .orElse(0)
                * 1024;
    }

    @Test
    void aSpillingImportEndsInACgroupOfItsBudget() throws Exception {
        String budget = System.getProperty("sluice.it.memory.budget", "64m");
        long limit = Long.parseLong(budget.replace("m", "")) * MIB + MORE_BYTES;
        Path made = cgroup(limit);
        assumeTrue(
                made != null,
                "this machine lacks a cgroup with a memory limit: that takes root and a writable /sys/fs/cgroup");
        Path group = Objects.requireNonNull(made);
        try {
            List<String> jvm = launched(budget, "import");
            Path schema = directory.resolve("stock.sql");
            Path input = directory.resolve("stock.csv");
            run(
                    List.of("-Xmx256m"),
                    null,
                    "workload",
                    "tpcc",
                    "stock",
                    "--warehouses",
                    "" + WAREHOUSES,
                    "--shuffle",
                    "--schema",
                    schema.toString(),
                    "--output",
                    input.toString());
            String out = run(
                    jvm,
                    group,
                    "import",
                    "--json",
                    "--mode",
                    "merge",
                    "--verify",
                    "full",
                    "--memory",
                    budget,
                    "--schema",
                    schema.toString(),
                    "--store",
                    directory.resolve("store").toString(),
                    input.toString());
            JsonNode report = new ObjectMapper().readTree(out);
            System.out.println("import of " + Files.size(input) / MIB + " MiB with " + budget + ": spilled "
                    + report.path("spilledBytes").asLong() / MIB + " MiB, peak of the cgroup "
                    + read(group, "memory.max_usage_in_bytes", "memory.peak") / MIB + " MiB, limit " + limit / MIB);
            assertEquals(WAREHOUSES * 100_000L, report.path("rowsImported").asLong(), out);
            assertTrue(report.path("spilledBytes").asLong() > limit / 10, out);
        } finally {
            Files.delete(group);
        }
    }

    private static @Nullable Path cgroup(long limitBytes) {
        Path v1 = Path.of("/sys/fs/cgroup/memory");
        Path root = Files.isDirectory(v1) ? v1 : Path.of("/sys/fs/cgroup");
        Path group = root.resolve("sluice-it-" + ProcessHandle.current().pid());
        try {
            Files.createDirectory(group);
            String file = root.equals(v1) ? "memory.limit_in_bytes" : "memory.max";
            Files.writeString(group.resolve(file), Long.toString(limitBytes));
            return group;
        } catch (IOException e) {
            return null;
        }
    }

    private static long read(Path group, String v1, String v2) throws IOException {
        Path file = Files.exists(group.resolve(v1)) ? group.resolve(v1) : group.resolve(v2);
        return Files.exists(file) ? Long.parseLong(Files.readString(file).strip()) : 0;
    }

    /** Runs the program, in a cgroup from its first byte on if one is given; returns its standard output. */
    private String run(List<String> jvm, @Nullable Path group, String... arguments) throws Exception {
        List<String> command = new ArrayList<>();
        if (group != null) {
            command.addAll(List.of("/bin/sh", "-c", "echo $$ >\"$0\"/cgroup.procs; exec \"$@\"", group.toString()));
        }
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "-XX:+UnlockDiagnosticVMOptions",
                "-XX:-BytecodeVerificationRemote"));
        command.addAll(jvm);
        command.add("io.sluice.cli.Sluice");
        command.addAll(List.of(arguments));
        Path out = Files.createTempFile(directory, "memory", ".out");
        Path err = Files.createTempFile(directory, "memory", ".err");
        Process process = new ProcessBuilder(command)
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        process.getOutputStream().close();
        assertTrue(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS), "it does not end");
        assertEquals(
                0,
                process.exitValue(),
                String.format(Locale.ROOT, "%s%n%s", Files.readString(out), Files.readString(err)));
        return Files.readString(out);
    }
}
