package io.sluice.cli.jobs.client;

import io.sluice.cli.output.Console;
import io.sluice.cli.progress.ProgressLine;
import io.sluice.cli.progress.ProgressSnapshot;
import io.sluice.model.error.OperationFailedException;
import java.util.function.Predicate;

/** Follows one job by its events, and draws its progress; see {@link ServiceClient#follow}. */
public final class JobWatch {
    private final ServiceClient client;
    private final Predicate<JobView> done;
    private volatile JobView job;

    /**
     * A watch.
     *
     * @param job as it was seen last
     * @param done when to stop watching
     */
    public JobWatch(ServiceClient client, JobView job, Predicate<JobView> done) {
        this.client = client;
        this.job = job;
        this.done = done;
    }

    /** The job as it was seen last; for any thread. */
    public JobView job() {
        return job;
    }

    /**
     * Watches until it is done, on this thread.
     *
     * @return the job when it was
     * @throws OperationFailedException when the service has not answered for two minutes
     */
    public JobView follow() {
        if (!done.test(job)) {
            client.follow(job.id(), json -> {
                job = JobView.of(json);
                return done.test(job);
            });
        }
        return job;
    }

    /**
     * Watches a job in the foreground until it is done: draws its progress; Ctrl-C stops watching.
     *
     * @param job as it was seen last
     * @param done when to stop
     * @param onInterrupt runs if a signal terminates the process meanwhile, after the last line of progress
     * @return the job when it was done
     */
    public static JobView inForeground(
            ServiceClient client,
            JobView job,
            Predicate<JobView> done,
            Console console,
            ProgressLine.Style style,
            Runnable onInterrupt) {
        JobWatch watch = new JobWatch(client, job, done);
        ProgressLine line = ProgressLine.start(() -> progress(watch.job()), console.drawing(), style);
        Thread hook = new Thread(
                () -> {
                    line.close();
                    onInterrupt.run();
                },
                "detach");
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            return watch.follow();
        } finally {
            line.close();
            remove(hook);
        }
    }

    private static void remove(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The process is terminating.
            return;
        }
    }

    /** Converts a job's progress for the progress line. */
    private static ProgressSnapshot progress(JobView job) {
        boolean active = job.state().isActive();
        return new ProgressSnapshot(
                job.doing(),
                Math.max(0, job.count("bytesRead")),
                job.count("bytesTotal"),
                Math.max(0, job.count("rowsRead")),
                (long) (Math.max(0, job.figure("elapsedSeconds")) * 1e9),
                job.limiter(),
                new ProgressSnapshot.Estimate(
                        job.fraction(),
                        active ? job.figure("etaSeconds") : Double.NaN,
                        active ? job.figure("bytesPerSecond") : Double.NaN,
                        active ? job.figure("rowsPerSecond") : Double.NaN));
    }
}
