package io.sluice.service.observe;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.sluice.service.job.Job;
import io.sluice.service.job.JobRecord;
import io.sluice.service.job.JobRegistry;
import io.sluice.service.job.JobState;
import io.sluice.service.job.Tally;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs one line per finished job and updates the metrics of all jobs; docs/service.md lists both. */
public final class FinishedJobs {
    /** A logger of its own name, so that operators can route it separately. */
    private static final Logger LOG = LoggerFactory.getLogger("io.sluice.jobs");

    private static final double MILLIS_PER_SECOND = 1e3;

    private final MeterRegistry metrics;

    /** Registers the metrics, and logs finished jobs from now on. */
    public FinishedJobs(MeterRegistry metrics, JobRegistry jobs) {
        this.metrics = metrics;
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
        jobs.listen((job, before) -> {
            if (job.state().isFinal()) {
                finished(job);
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
        count("sluice.service.rows", "Rows that finished jobs read", tally.rowsRead());
        count("sluice.service.rejects", "Records that were no rows, of finished jobs", tally.rowsRejected());
        count("sluice.service.bytes", "Bytes of input that finished jobs read", tally.bytesRead());
        Long finishedAt = record.finishedAt();
        LOG.info(
                "job={} table={} state={} mode={} attempts={} rows={} rejected={} bytes={} kvs={} ssts={} puts={}"
                        + " seconds={} waited={}{}",
                record.id(),
                quoted(record.table()),
                state,
                record.mode() == null ? "none" : record.mode(),
                record.attempt(),
                tally.rowsRead(),
                tally.rowsRejected(),
                tally.bytesRead(),
                tally.kvs(),
                tally.sstsIngested(),
                tally.puts(),
                tally.elapsedMillis() / MILLIS_PER_SECOND,
                ((finishedAt == null ? record.updatedAt() : finishedAt) - record.createdAt() - tally.elapsedMillis())
                        / MILLIS_PER_SECOND,
                record.message() == null ? "" : " message=" + quoted(record.message()));
    }

    private void count(String name, String what, long amount) {
        Counter.builder(name).description(what).register(metrics).increment((double) amount);
    }

    /** Quotes a text on one line. */
    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + '"';
    }
}
