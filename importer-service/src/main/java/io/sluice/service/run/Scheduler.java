package io.sluice.service.run;

import io.sluice.model.error.Reasons;
import io.sluice.model.thread.Daemons;
import io.sluice.service.job.Job;
import io.sluice.service.job.JobRegistry;
import io.sluice.service.job.JobState;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs pending jobs, oldest first, on one thread per job slot; other threads undo cancelled jobs. Pending and paused
 * jobs have no thread. An operation that fails, because a node is unreachable or the disk is full, is retried every
 * {@value #AGAIN_MILLIS} ms and does not delay other jobs.
 */
final class Scheduler implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Scheduler.class);
    static final long AGAIN_MILLIS = 5_000;
    /** Jobs that are undone at once: each may wait some minutes for a node. */
    private static final int REVERTS = 4;

    private static final long CLOSE_MILLIS = TimeUnit.SECONDS.toMillis(30);

    private final JobRegistry registry;
    private final Function<Job, Attempt> attempts;
    private final Consumer<Job> failed;
    private final Predicate<Job> revert;
    private final long againMillis;
    /** Pending jobs by sequence number; guards itself and the two fields below. */
    private final NavigableMap<Long, Job> pending = new TreeMap<>();

    /** Pending jobs that must wait for a retry, because writing their state failed. */
    private final Set<Job> delayed = new HashSet<>();

    private boolean closing;
    /** Executor of reverts; at most two tasks per job that is being cancelled. */
    private final ScheduledExecutorService reverts = Threads.scheduled("sluice-revert", REVERTS);

    /** Jobs that a thread undoes now. */
    private final Set<Job> reverting = ConcurrentHashMap.newKeySet();
    /** Executor of retries; at most one task per job whose final state is not written, and one per delayed job. */
    private final ScheduledExecutorService records = Threads.scheduled("sluice-records");

    /** Attempts of all threads; a job may have a second one that has not begun and will not. */
    private final Set<Attempt> running = ConcurrentHashMap.newKeySet();

    private final List<Thread> threads = new ArrayList<>();

    /**
     * Creates a scheduler without starting it.
     *
     * @param attempts creates an attempt at a job without starting it
     * @param failed undoes the attempts at a failed job, as far as nodes respond
     * @param revert undoes the attempts at a job that is being cancelled; false: try again later
     * @param againMillis wait before a failed operation is tried again
     */
    Scheduler(
            JobRegistry registry,
            Function<Job, Attempt> attempts,
            Consumer<Job> failed,
            Predicate<Job> revert,
            long againMillis) {
        this.registry = registry;
        this.attempts = attempts;
        this.failed = failed;
        this.revert = revert;
        this.againMillis = againMillis;
    }

    /** Takes over the jobs of an earlier process and starts the threads. */
    void start(int slots) {
        registry.listen(this::changed);
        for (Job job : registry.unfinished()) {
            takeUp(job, null);
        }
        for (int i = 1; i <= slots; i++) {
            thread("sluice-job-" + i, this::runJobs);
        }
    }

    private void thread(String name, Runnable work) {
        Thread thread = Daemons.thread(name, work);
        threads.add(thread);
        thread.start();
    }

    /**
     * Puts a job without a thread into a waiting state, and schedules its next step.
     *
     * @param why reason for the pending state, or null
     */
    private void takeUp(Job job, @Nullable String why) {
        switch (job.requeue(why)) {
            case PENDING -> changed(job, null);
            case CANCELLING, REVERTING -> changed(job, JobState.PAUSED);
            default -> {
                // Paused jobs wait for a client to resume them.
            }
        }
    }

    /** Handles a state change; called while the job is locked. */
    private void changed(Job job, @Nullable JobState before) {
        synchronized (pending) {
            long number = job.record().number();
            if (job.state() != JobState.PENDING) {
                pending.remove(number);
                delayed.remove(job);
            } else if (!delayed.contains(job)) {
                pending.put(number, job);
            }
            boolean unattended = before == JobState.PENDING || before == JobState.PAUSED;
            if (unattended && (job.state() == JobState.CANCELLING || job.state() == JobState.REVERTING)) {
                later(reverts, 0, () -> revert(job));
            }
            pending.notifyAll();
        }
        if (job.state() == JobState.PAUSING || job.state() == JobState.CANCELLING) {
            running.stream().filter(attempt -> attempt.job() == job).forEach(Attempt::stop);
        }
    }

    /** Number of pending jobs before this one in the queue. */
    int before(Job job) {
        synchronized (pending) {
            return pending.headMap(job.record().number()).size();
        }
    }

    /** The running attempt at a job, or null. */
    @Nullable
    Attempt running(String id) {
        return running.stream()
                .filter(attempt -> attempt.job().id().equals(id))
                .findAny()
                .orElse(null);
    }

    Iterable<Attempt> running() {
        return running;
    }

    private void runJobs() {
        for (Job job = nextPending(); job != null; job = nextPending()) {
            try {
                run(job);
                registry.trim();
            } catch (RuntimeException | Error e) {
                // Most likely the disk is full, so that states cannot be written.
                LOG.error("job {} stands still: {}", job.id(), e.toString(), e);
                delay(job, Reasons.withoutClasses(e.toString()));
            }
        }
    }

    /** Delays a pending job until its state can be written, or another failure has passed. */
    private void delay(Job job, String why) {
        synchronized (pending) {
            delayed.add(job);
        }
        takeUp(job, "it waits for its next attempt: " + why);
        later(records, againMillis, () -> {
            synchronized (pending) {
                if (delayed.remove(job) && job.state() == JobState.PENDING) {
                    changed(job, null);
                }
            }
        });
    }

    private void run(Job job) {
        Attempt attempt = attempts.apply(job);
        running.add(attempt);
        Runnable end;
        try {
            leaveIfClosing(attempt);
            end = attempt.run();
        } finally {
            running.remove(attempt);
        }
        end.run();
        if (job.state() == JobState.FAILED) {
            failed.accept(job);
        }
        if (job.state() == JobState.CANCELLING) {
            later(reverts, 0, () -> revert(job));
        }
        saveLater(job, 0);
    }

    /** Leaves an attempt that {@link #close} did not find among the running ones. */
    private void leaveIfClosing(Attempt attempt) {
        synchronized (pending) {
            if (closing) {
                attempt.leave();
            }
        }
    }

    private void revert(Job job) {
        if (!reverting.add(job)) {
            // Another task does it, and again if it fails.
            return;
        }
        boolean done = false;
        try {
            done = revert.test(job);
            saveLater(job, 0);
        } catch (RuntimeException | Error e) {
            // An exception must not end the thread, which also undoes all other cancelled jobs.
            LOG.warn("job {} cannot be undone yet: {}", job.id(), e.toString());
        } finally {
            reverting.remove(job);
        }
        if (done) {
            registry.trim();
        } else {
            later(reverts, againMillis, () -> revert(job));
        }
    }

    /** Writes the final state of a job, which could not be written earlier. */
    private void saveLater(Job job, long afterMillis) {
        if (job.isUnsaved()) {
            later(records, afterMillis, () -> {
                try {
                    job.save();
                } catch (RuntimeException e) {
                    LOG.warn("job {} is over, and that cannot be written yet: {}", job.id(), e.toString());
                    saveLater(job, againMillis);
                }
            });
        }
    }

    private void later(ScheduledExecutorService executor, long afterMillis, Runnable task) {
        try {
            var unused = executor.schedule(task, afterMillis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("the next process takes it up: this one ends", e);
        }
    }

    private @Nullable Job nextPending() {
        synchronized (pending) {
            while (!closing) {
                Map.Entry<Long, Job> first = pending.pollFirstEntry();
                if (first != null) {
                    return first.getValue();
                }
                if (interrupted()) {
                    return null;
                }
            }
            return null;
        }
    }

    private boolean interrupted() {
        try {
            pending.wait();
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    /** Stops all running jobs, so that the next process resumes them, and starts no more. */
    @Override
    public void close() {
        synchronized (pending) {
            closing = true;
            pending.notifyAll();
        }
        running.forEach(Attempt::leave);
        reverts.shutdownNow();
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(CLOSE_MILLIS);
        for (Thread thread : threads) {
            Threads.join(thread, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime()));
        }
        Threads.await(reverts, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime()));
        records.shutdownNow();
        Threads.await(records, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime()));
    }
}
