package io.sluice.cli.jobs.client;

import io.sluice.cli.progress.ProgressSnapshot;

/** Converts a job's progress for the progress line. */
final class JobProgress {
    private static final double NANOS_PER_SECOND = 1e9;

    private JobProgress() {}

    static ProgressSnapshot of(JobView job) {
        boolean active = job.state().isActive();
        return new ProgressSnapshot(
                job.doing(),
                Math.max(0, job.count("bytesRead")),
                job.count("bytesTotal"),
                Math.max(0, job.count("rowsRead")),
                (long) (Math.max(0, job.figure("elapsedSeconds")) * NANOS_PER_SECOND),
                job.limiter(),
                new ProgressSnapshot.Estimate(
                        job.fraction(),
                        active ? job.figure("etaSeconds") : Double.NaN,
                        active ? job.figure("bytesPerSecond") : Double.NaN,
                        active ? job.figure("rowsPerSecond") : Double.NaN));
    }
}
