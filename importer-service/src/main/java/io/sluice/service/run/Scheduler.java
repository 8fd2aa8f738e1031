package io.sluice.service.run;

import io.sluice.api.error.Reasons;
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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives every pending job its turn, the oldest first, on as many threads as jobs may run at a time; undoes cancelled
 * ones on another. Jobs that wait or are paused have no thread. What cannot be done or written now, because a node is
 * away or the disk is full, is tried again every {@value #AGAIN_MILLIS} ms, and holds up no other job.
 */
final class Scheduler implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Scheduler.class);
    private static final long AGAIN_MILLIS = 5_000;
    private static final long CLOSE_MILLIS = TimeUnit.SECONDS.toMillis(30);

    private final JobRegistry registry;
    private final Runner runner;
    /** Guarded by itself, as the two fields below are by it. */
    private final NavigableMap<Long, Job> pending = new TreeMap<>();

    /** Pending jobs whose turn does not come yet: their state could not be written a moment ago. */
    private final Set<Job> delayed = new HashSet<>();

    private boolean closing;
    /** At most one task for each job that is being cancelled. */
    private final ScheduledExecutorService reverts = Threads.scheduled("sluice-revert");
    /** At most one task for each job whose end cannot be written, and one for each that is delayed. */
    private final ScheduledExecutorService records = Threads.scheduled("sluice-records");

    private final Map<String, Attempt> running = new ConcurrentHashMap<>();
    private final List<Thread> threads = new ArrayList<>();

    /** Does the work of a job. */
    interface Runner {
        /** A new attempt at a job; nothing is done yet. */
        Attempt attempt(Job job);

        /** Undoes what attempts at a job that has failed have left, as far as nodes answer. */
        void failed(Job job);

        /**
         * Undoes what attempts at a job that is being cancelled have left.
         *
         * @return false when that is to be tried again
         */
        boolean revert(Job job);
    }

    Scheduler(JobRegistry registry, Runner runner) {
        this.registry = registry;
        this.runner = runner;
    }

    /** Takes up what an earlier process has left, and begins. */
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
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    /**
     * Puts a job that no thread works on where it waits, whatever its state says, and sees to its next step.
     *
     * @param why it is pending again, or null
     */
    private void takeUp(Job job, @Nullable String why) {
        switch (job.standStill(why)) {
            case PENDING -> changed(job, null);
            case CANCELLING, REVERTING -> changed(job, JobState.PAUSED);
            default -> {
                // Paused jobs wait for a client to resume them.
            }
        }
    }

    /** Called while the job is locked. */
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
        Attempt attempt = running.get(job.id());
        if (attempt != null && (job.state() == JobState.PAUSING || job.state() == JobState.CANCELLING)) {
            attempt.stop();
        }
    }

    /** How many jobs have their turn before this one does. */
    int before(Job job) {
        synchronized (pending) {
            return pending.headMap(job.record().number()).size();
        }
    }

    /** What is being done about a job just now, or null. */
    @Nullable
    Attempt running(String id) {
        return running.get(id);
    }

    /** All that is being done. */
    Iterable<Attempt> running() {
        return running.values();
    }

    private void runJobs() {
        for (Job job = nextPending(); job != null; job = nextPending()) {
            try {
                run(job);
                registry.trim();
            } catch (RuntimeException | Error e) {
                // States could not be written, most likely: the disk is full.
                LOG.error("job {} stands still: {}", job.id(), e.toString(), e);
                delay(job, Reasons.withoutClasses(e.toString()));
            }
        }
    }

    /** Lets a job wait for its turn until its state can be written, or some other fault is over. */
    private void delay(Job job, String why) {
        synchronized (pending) {
            delayed.add(job);
        }
        takeUp(job, "it waits for its next attempt: " + why);
        later(records, AGAIN_MILLIS, () -> {
            synchronized (pending) {
                if (delayed.remove(job) && job.state() == JobState.PENDING) {
                    changed(job, null);
                }
            }
        });
    }

    private void run(Job job) {
        Attempt attempt = runner.attempt(job);
        running.put(job.id(), attempt);
        Runnable end;
        try {
            end = attempt.run();
        } finally {
            running.remove(job.id());
        }
        end.run();
        if (job.state() == JobState.FAILED) {
            runner.failed(job);
        }
        if (job.state() == JobState.CANCELLING) {
            later(reverts, 0, () -> revert(job));
        }
        saveLater(job, 0);
    }

    private void revert(Job job) {
        boolean done = false;
        try {
            done = runner.revert(job);
            saveLater(job, 0);
        } catch (RuntimeException | Error e) {
            // A thread that ended here would leave all other cancelled jobs as they are.
            LOG.warn("job {} cannot be undone yet: {}", job.id(), e.toString());
        }
        if (!done) {
            later(reverts, AGAIN_MILLIS, () -> revert(job));
        }
    }

    /** Writes the end of a job that could not be written when it came. */
    private void saveLater(Job job, long afterMillis) {
        if (job.isUnsaved()) {
            later(records, afterMillis, () -> {
                try {
                    job.save();
                } catch (RuntimeException e) {
                    LOG.warn("job {} is over, and that cannot be written yet: {}", job.id(), e.toString());
                    saveLater(job, AGAIN_MILLIS);
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

    /** Stops what runs, so that the next process goes on with it, and begins nothing more. */
    @Override
    public void close() {
        synchronized (pending) {
            closing = true;
            pending.notifyAll();
        }
        running.values().forEach(Attempt::leave);
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
