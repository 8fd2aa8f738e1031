package io.sluice.service.observe;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.sluice.api.node.NodeStatus;
import io.sluice.service.job.Job;
import io.sluice.service.job.JobRecord;
import io.sluice.service.job.JobRegistry;
import io.sluice.service.job.JobState;
import io.sluice.service.job.Tally;
import io.sluice.service.run.RunSettings;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The metrics of jobs and of the process's memory, and one log line per finished job; docs/how-to/service.md lists
 * both.
 */
public final class ServiceMetrics {
    /** A logger of its own name, so that operators can route it separately. */
    private static final Logger LOG = LoggerFactory.getLogger("io.sluice.jobs");

    private static final double MILLIS_PER_SECOND = 1e3;
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final long KIB = 1024;

    private final MeterRegistry metrics;

    private ServiceMetrics(MeterRegistry metrics) {
        this.metrics = metrics;
    }

    /**
     * Registers the metrics, and logs finished jobs from now on.
     *
     * @param settings has the version, and the memory budget of all jobs together
     * @param nodes the last answer of the nodes, or null
     */
    public static void register(
            MeterRegistry metrics, JobRegistry jobs, RunSettings settings, Supplier<@Nullable NodeStatus> nodes) {
        memory(metrics, settings.memoryBytes());
        Gauge.builder("sluice.service.build.info", () -> 1)
                .description("Always 1; its labels are the versions of program and JVM")
                .tag("version", settings.version())
                .tag("java", Runtime.version().toString())
                .register(metrics);
        Gauge.builder("sluice.service.nodes.answer", () -> nodes.get() == null ? 0 : 1)
                .description("1 if the nodes answered when the service last asked, else 0")
                .register(metrics);
        Gauge.builder("sluice.service.nodes.disk.free.bytes", () -> {
                    NodeStatus status = nodes.get();
                    return status == null ? Double.NaN : status.load().diskFreeBytes();
                })
                .description("Free disk space of the node that has the least")
                .register(metrics);
        for (JobState state : JobState.values()) {
            Gauge.builder("sluice.service.jobs", () -> jobs.in(state))
                    .description("Jobs in each state")
                    .tag("state", state.label())
                    .register(metrics);
        }
        Gauge.builder("sluice.service.bytes.per.second", () -> sum(jobs, true))
                .description("Bytes of input that all running jobs read per second")
                .register(metrics);
        Gauge.builder("sluice.service.rows.per.second", () -> sum(jobs, false))
                .description("Rows that all running jobs read per second")
                .register(metrics);
        ServiceMetrics own = new ServiceMetrics(metrics);
        jobs.listen((job, before) -> {
            if (job.state().isFinal()) {
                own.finished(job);
            }
        });
    }

    private static double sum(JobRegistry jobs, boolean bytes) {
        double sum = 0;
        for (Job job : jobs.unfinished()) {
            sum += bytes ? job.live().bytesPerSecond() : job.live().rowsPerSecond();
        }
        return sum;
    }

    private void finished(Job job) {
        JobRecord record = job.record();
        Tally tally = record.tally();
        String state = record.state().label();
        Timer.builder("sluice.service.job")
                .description("How long jobs ran, pauses and the queue left out, by the state they ended in")
                .tag("state", state)
                .register(metrics)
                .record(Duration.ofMillis(tally.elapsedMillis()));
        count(
                "sluice.service.rows",
                "Rows that finished jobs read",
                tally.rows().read());
        count(
                "sluice.service.rejects",
                "Records that were no rows, of finished jobs",
                tally.rows().rejected());
        count(
                "sluice.service.bytes",
                "Bytes of input that finished jobs read",
                tally.bytes().read());
        LOG.info(
                "job={} table={} state={} mode={} attempts={} rows={} rejected={} bytes={} kvs={} ssts={} puts={}"
                        + " seconds={} waited={}{}",
                record.id(),
                quoted(record.table()),
                state,
                record.mode() == null ? "none" : record.mode(),
                record.times().attempt(),
                tally.rows().read(),
                tally.rows().rejected(),
                tally.bytes().read(),
                tally.kvs(),
                tally.store().sstsIngested(),
                tally.store().puts(),
                tally.elapsedMillis() / MILLIS_PER_SECOND,
                waitedMillis(record) / MILLIS_PER_SECOND,
                record.message() == null ? "" : " message=" + quoted(record.message()));
    }

    private static long waitedMillis(JobRecord record) {
        // The last update of a finished job is its end.
        return record.times().updatedAt()
                - record.created().createdAt()
                - record.tally().elapsedMillis();
    }

    private void count(String name, String what, long amount) {
        Counter.builder(name).description(what).register(metrics).increment((double) amount);
    }

    /** Quotes a text on one line. */
    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + '"';
    }

    private static void memory(MeterRegistry metrics, long budgetBytes) {
        MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
        Gauge.builder("sluice.service.memory.budget.bytes", () -> budgetBytes)
                .description("Memory budget of all jobs together")
                .register(metrics);
        Gauge.builder("sluice.service.memory.heap.used.bytes", () -> memory.getHeapMemoryUsage()
                        .getUsed())
                .description("Heap in use, garbage included")
                .register(metrics);
        Gauge.builder("sluice.service.memory.heap.committed.bytes", () -> memory.getHeapMemoryUsage()
                        .getCommitted())
                .description("Heap that the process has taken from the machine")
                .register(metrics);
        if (Files.isReadable(STATUS)) {
            Gauge.builder("sluice.service.memory.resident.bytes", () -> bytes("VmRSS:"))
                    .description("Resident memory of the process, mapped files included")
                    .register(metrics);
            Gauge.builder("sluice.service.memory.anonymous.bytes", () -> bytes("RssAnon:"))
                    .description("Resident memory of the process that is no file's")
                    .register(metrics);
        }
    }

    /** Reads a value of the process status, which is in KiB; NaN if it is unknown. */
    private static double bytes(String name) {
        try {
            for (String line : Files.readAllLines(STATUS)) {
                if (line.startsWith(name)) {
                    return Long.parseLong(line.replaceAll("[^0-9]", "")) * (double) KIB;
                }
            }
            return Double.NaN;
        } catch (IOException e) {
            return Double.NaN;
        }
    }
}
