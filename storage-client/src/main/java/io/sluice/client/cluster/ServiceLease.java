package io.sluice.client.cluster;

import io.sluice.api.wire.JobsBody.Job;
import io.sluice.api.wire.JobsBody.Lease;
import io.sluice.api.wire.JobsChange;
import io.sluice.api.wire.JobsChange.Step;
import io.sluice.model.error.ChangeRefusedException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.SluiceException;
import io.sluice.model.thread.Daemons;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One import service's part in the lease on the jobs of a cluster: it waits for the lease, renews it while it runs the
 * jobs, and knows when it has lost it.
 *
 * <pre>
 *   holder    renews ... renews   no answer ............ gives up after 8 s
 *   others                        see no renewal .................... one takes it after 12 s
 * </pre>
 *
 * <p>The holder counts from the moment at which it began to ask for the last renewal, also while it waits for an
 * answer.
 *
 * <p>So the holder has usually stopped its jobs when another begins them. If it has not, because its process stood
 * still, its changes of jobs have no effect, and nodes refuse its imports from the moment on at which the other resumes
 * them.
 */
public final class ServiceLease implements AutoCloseable {
    private static final long RENEW_MILLIS = 2_000;
    private static final long GIVE_UP_MILLIS = 8_000;
    private static final long TAKE_AFTER_MILLIS = 12_000;
    private static final long WRITE_MILLIS = 20_000;

    private final ClusterJobs jobs;
    private final String self;
    private volatile @Nullable Lease held;
    /** When the last renewal that was answered began. */
    private volatile long answeredNanos;

    private @Nullable Thread renewing;
    /** The lease of another service, and when it was first seen as it is. */
    private volatile @Nullable Lease other;

    private @Nullable String problem;

    private long otherSince = System.nanoTime();

    /**
     * Creates a service's part; it asks for nothing yet.
     *
     * @param jobs owned by the caller, and closed after this
     * @param self random id of the service: one that was killed and started again takes its lease again at once
     */
    public ServiceLease(ClusterJobs jobs, String self) {
        this.jobs = jobs;
        this.self = self;
    }

    /**
     * Takes the lease if it is free, or was not renewed for long; it is renewed from then on. Called again and again,
     * about once a second.
     *
     * @param url where the service answers
     * @return whether this service holds it now
     */
    public boolean tryTake(String url) {
        try {
            Lease lease = jobs.read(true, RENEW_MILLIS).lease();
            if (lease == null) {
                jobs.ensureKnownToAll();
            }
            if (lease == null || lease.free() || lease.holder().equals(self) || isOver(lease)) {
                renew(take(lease, url));
                return true;
            }
            if (!lease.equals(other)) {
                otherSince = System.nanoTime();
                other = lease;
            }
            problem = null;
        } catch (ChangeRefusedException e) {
            // Another service was faster.
            otherSince = System.nanoTime();
        } catch (SluiceException e) {
            otherSince = System.nanoTime();
            problem = e.getMessage();
        }
        return false;
    }

    /** The reason why {@link #tryTake} learned nothing; null: it did. */
    public @Nullable String problem() {
        return problem;
    }

    /** The URL of the last known holder of the lease; null: none is known. */
    public @Nullable String holder() {
        Lease lease = other;
        return lease == null ? null : lease.url();
    }

    /** Whether this service still holds the lease. */
    public boolean holds() {
        return held != null && lasts();
    }

    private boolean lasts() {
        return System.nanoTime() - answeredNanos < TimeUnit.MILLISECONDS.toNanos(GIVE_UP_MILLIS);
    }

    private boolean isOver(Lease now) {
        return now.equals(other) && System.nanoTime() - otherSince > TimeUnit.MILLISECONDS.toNanos(TAKE_AFTER_MILLIS);
    }

    private Lease take(@Nullable Lease from, String url) {
        JobsChange taking = JobsChange.taking(from, self, url);
        long asked = System.nanoTime();
        jobs.change(taking, RENEW_MILLIS);
        answeredNanos = asked;
        held = taking.lease();
        return taking.lease();
    }

    private void renew(Lease lease) {
        Thread thread = Daemons.thread("service-lease", () -> {
            try {
                renewUntilLost(lease);
            } catch (InterruptedException e) {
                return;
            }
            held = null;
        });
        renewing = thread;
        thread.start();
    }

    private void renewUntilLost(Lease lease) throws InterruptedException {
        while (lasts()) {
            long asked = System.nanoTime();
            try {
                jobs.change(JobsChange.of(Step.RENEW, lease), RENEW_MILLIS);
                answeredNanos = asked;
            } catch (ChangeRefusedException e) {
                return;
            } catch (SluiceException e) {
                // Most nodes do not answer at the moment.
            }
            Thread.sleep(RENEW_MILLIS);
        }
    }

    /** All jobs of the cluster. */
    public List<Job> all() {
        return jobs.read(false, WRITE_MILLIS).jobs();
    }

    /**
     * Writes a job.
     *
     * @throws OperationFailedException if this service does not hold the lease, or most nodes do not answer
     */
    public void put(Job job) {
        jobs.change(JobsChange.writing(held(), job), WRITE_MILLIS);
    }

    /** Removes a job, if it is there. Throws as {@link #put} does. */
    public void remove(Job job) {
        jobs.change(JobsChange.removing(held(), job), WRITE_MILLIS);
    }

    private Lease held() {
        Lease lease = held;
        if (lease == null || !lasts()) {
            throw new OperationFailedException("another import service has taken over the jobs of the cluster");
        }
        return lease;
    }

    /** Ends renewing, and gives the lease up if it is held, so that another service need not wait. */
    @Override
    public void close() {
        if (renewing != null) {
            renewing.interrupt();
        }
        Lease lease = held;
        held = null;
        if (lease != null) {
            try {
                jobs.change(JobsChange.of(Step.RELEASE, lease), RENEW_MILLIS);
            } catch (SluiceException e) {
                // Another service takes it after a while.
            }
        }
    }
}
