package io.sluice.cli.jobs.client;

import io.sluice.model.error.OperationFailedException;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Follows one job by its events. If the service does not answer, keeps trying, because jobs survive a restart. If the
 * service accepts no more watchers, polls the job instead.
 */
public final class JobWatch {
    /** Longer than a service takes to restart and to load its jobs. */
    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(2);

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
        long heardNanos = System.nanoTime();
        for (int failures = 0; !done.test(job); ) {
            try {
                if (failures > 0) {
                    Connection.awaitRetry(failures);
                    job = client.tryJob(job.id());
                    heardNanos = System.nanoTime();
                }
                if (!done.test(job)) {
                    // Events also end when the service does.
                    failures = events() ? 1 : failures + 1;
                    heardNanos = System.nanoTime();
                }
            } catch (IOException e) {
                failures++;
                if (System.nanoTime() - heardNanos > PATIENCE_NANOS) {
                    throw new OperationFailedException(
                            "the service at " + client.address() + " has not answered for two minutes; its jobs go on"
                                    + " when it does: watch this one with 'sluice jobs watch " + job.id()
                                    + client.option() + "'",
                            e);
                }
            }
        }
        return job;
    }

    /** Follows the events as long as they come; tells whether any came. */
    private boolean events() throws IOException {
        boolean any = false;
        try (ServerEvents events = client.events(job.id())) {
            for (ServerEvents.Event event = events.next(); event != null; event = events.next()) {
                job = JobView.of(Answer.JSON.readTree(event.data()));
                any = true;
                if (done.test(job)) {
                    break;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new OperationFailedException("interrupted while watching", e);
        } catch (IOException e) {
            if (!any) {
                throw e;
            }
            // It broke off; what was seen counts.
        }
        return any;
    }
}
