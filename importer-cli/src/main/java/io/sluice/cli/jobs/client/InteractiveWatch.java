package io.sluice.cli.jobs.client;

import io.sluice.cli.output.Console;
import io.sluice.cli.progress.ProgressLine;
import java.util.function.Predicate;

/** Watches a job in the foreground: draws its progress; Ctrl-C stops watching. */
public final class InteractiveWatch {
    private InteractiveWatch() {}

    /**
     * Watches until it is done.
     *
     * @param job as it was seen last
     * @param done when to stop
     * @param onInterrupt runs if a signal terminates the process meanwhile, after the last line of progress
     * @return the job when it was done
     */
    public static JobView follow(
            ServiceClient client,
            JobView job,
            Predicate<JobView> done,
            Console console,
            ProgressLine.Style style,
            Runnable onInterrupt) {
        JobWatch watch = new JobWatch(client, job, done);
        ProgressLine line = ProgressLine.start(() -> JobProgress.of(watch.job()), console.drawing(), style);
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
}
