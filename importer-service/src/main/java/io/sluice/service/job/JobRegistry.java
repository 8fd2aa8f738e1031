package io.sluice.service.job;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.service.job.JobRecord.CreatedBy;
import io.sluice.service.job.JobState.Action;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** All jobs, by id and by age. Keeps a number of the most recently finished jobs. Thread-safe. */
public final class JobRegistry {
    private final JobFiles files;
    private final Clock clock;
    private final int mostPending;
    private final Map<String, Job> byId = new ConcurrentHashMap<>();
    private final ConcurrentNavigableMap<Long, Job> byNumber = new ConcurrentSkipListMap<>();
    private final Map<String, Job> byKey = new HashMap<>();
    private final Set<String> keysUnderWay = new HashSet<>();
    private final Set<String> idsUnderWay = new HashSet<>();
    private final Map<JobState, AtomicLong> counts = new EnumMap<>(JobState.class);
    private final List<Listener> listeners = new CopyOnWriteArrayList<>();
    private final Object numbering = new Object();
    /** Sequence number of the latest change; guarded by {@code numbering}. */
    private long changes;

    private long nextNumber = 1;

    /** Receives state changes on the thread that makes them; must not block. */
    @FunctionalInterface
    public interface Listener {
        /**
         * Called after a job's state changed.
         *
         * @param before previous state; null: the job was just created
         */
        void changed(Job job, @Nullable JobState before);
    }

    /** The result of a request to create a job. */
    public sealed interface Creation {
        /** The job was created. */
        record Created(Job job) implements Creation {}

        /** The same request created the job before. */
        record Repeated(Job job) implements Creation {}

        /** The same request is in progress. */
        record UnderWay() implements Creation {}

        /** The idempotency key was used with another body before. */
        record OtherBody(Job job) implements Creation {}

        /** A job of that id exists. */
        record Taken(String id) implements Creation {}

        /** Too many jobs are pending. */
        record Full(int pending) implements Creation {}
    }

    /**
     * Loads the jobs of a directory.
     *
     * @param mostPending maximum number of pending jobs
     */
    public JobRegistry(JobFiles files, int mostPending, Clock clock) {
        this.files = files;
        this.mostPending = mostPending;
        this.clock = clock;
        for (JobState state : JobState.values()) {
            counts.put(state, new AtomicLong());
        }
        // Of an earlier process only the times of changes are known.
        List<JobRecord> found = new ArrayList<>(files.all());
        found.sort(Comparator.comparingLong(record -> record.times().updatedAt()));
        for (JobRecord record : found) {
            add(Job.found(record, this, files, clock));
            nextNumber = Math.max(nextNumber, record.number() + 1);
        }
    }

    private void add(Job job) {
        byId.put(job.id(), job);
        byNumber.put(job.record().number(), job);
        count(job.state()).incrementAndGet();
        CreatedBy request = job.record().created().request();
        if (request != null) {
            byKey.put(request.key(), job);
        }
        touched(job);
    }

    /** Registers a listener for all state changes from now on. */
    public void listen(Listener listener) {
        listeners.add(listener);
    }

    /**
     * Creates a job durably.
     *
     * @param id id of the job
     * @param table name of the table
     * @param spec the request
     * @param request idempotency key and hash of the body, or null
     */
    public Creation create(
            String id, String table, Map<String, String> labels, JsonNode spec, @Nullable CreatedBy request) {
        long number;
        synchronized (this) {
            Creation before = before(request);
            if (before != null) {
                return before;
            }
            if (byId.containsKey(id) || idsUnderWay.contains(id)) {
                return new Creation.Taken(id);
            }
            long pending = count(JobState.PENDING).get() + idsUnderWay.size();
            if (pending >= mostPending) {
                return new Creation.Full((int) pending);
            }
            number = nextNumber++;
            idsUnderWay.add(id);
            if (request != null) {
                keysUnderWay.add(request.key());
            }
        }
        Job job = null;
        try {
            JobRecord record = JobRecord.of(new JobRecord.Created(id, number, table, labels, clock.millis(), request));
            if (!files.create(record, spec)) {
                return new Creation.Taken(id);
            }
            job = new Job(record, this, files, clock);
        } finally {
            synchronized (this) {
                idsUnderWay.remove(id);
                if (request != null) {
                    keysUnderWay.remove(request.key());
                }
                if (job != null) {
                    add(job);
                }
            }
        }
        for (Listener listener : listeners) {
            listener.changed(job, null);
        }
        return new Creation.Created(job);
    }

    /** Finds the result of an earlier request with the same idempotency key, or null. */
    public synchronized @Nullable Creation before(@Nullable CreatedBy request) {
        if (request == null) {
            return null;
        }
        Job job = byKey.get(request.key());
        CreatedBy first = job == null ? null : job.record().created().request();
        if (job != null && first != null) {
            return first.bodyHash().equals(request.bodyHash())
                    ? new Creation.Repeated(job)
                    : new Creation.OtherBody(job);
        }
        return keysUnderWay.contains(request.key()) ? new Creation.UnderWay() : null;
    }

    /** The job of that id, or null. */
    public @Nullable Job find(String id) {
        return byId.get(id);
    }

    public Collection<Job> newestFirst() {
        return byNumber.descendingMap().values();
    }

    /** Jobs with a lower sequence number, newest first. */
    public Collection<Job> olderThan(long number) {
        return byNumber.headMap(number, false).descendingMap().values();
    }

    /** Unfinished jobs of an earlier process, oldest first. */
    public List<Job> unfinished() {
        return byNumber.values().stream().filter(job -> !job.state().isFinal()).toList();
    }

    /** Number of jobs in a state. */
    public long in(JobState state) {
        return count(state).get();
    }

    /** Sequence number of the latest change of any job. Jobs have the numbers of all changes up to it. */
    public long changes() {
        synchronized (numbering) {
            return changes;
        }
    }

    /**
     * Applies a client's action to a job.
     *
     * @return the state after the action; null if the job's state does not allow the action
     */
    public @Nullable JobState act(Job job, Action action) {
        return act(job, action, record -> true);
    }

    /**
     * Applies a client's action to a job in a state that the client expects.
     *
     * @return as {@link #act(Job, Action)}; null as well if the job is in another state
     */
    public @Nullable JobState act(Job job, Action action, Predicate<JobRecord> expected) {
        while (true) {
            JobRecord before = job.record();
            JobState next = expected.test(before) ? before.state().after(action) : null;
            if (next == null || next == before.state() || job.become(before, next)) {
                return next;
            }
        }
    }

    private AtomicLong count(JobState state) {
        return Objects.requireNonNull(counts.get(state));
    }

    /** Removes the finished jobs that changed first, if there are too many. */
    public void trim() {
        trim(files.mostFinished());
    }

    /** Orders jobs by their changes, since a clock that was set back would make the latest job the oldest. */
    void trim(int most) {
        List<Job> finished = new ArrayList<>();
        for (Job job : byNumber.values()) {
            if (job.state().isFinal()) {
                finished.add(job);
            }
        }
        finished.sort(Comparator.comparingLong(Job::lastChange));
        for (Job job : finished.subList(0, Math.max(0, finished.size() - most))) {
            synchronized (this) {
                if (byId.get(job.id()) != job) {
                    // Another thread has removed it, and another job may have its id now.
                    continue;
                }
                files.remove(job.record());
                byId.remove(job.id());
                byNumber.remove(job.record().number());
                count(job.state()).decrementAndGet();
                CreatedBy request = job.record().created().request();
                if (request != null) {
                    byKey.remove(request.key());
                }
            }
        }
    }

    /** Records a state change, on the thread that makes it, while the job is locked. */
    void changed(Job job, JobState before) {
        count(before).decrementAndGet();
        count(job.state()).incrementAndGet();
        touched(job);
        for (Listener listener : listeners) {
            listener.changed(job, before);
        }
    }

    /** Records a change of another shown value. */
    void touched(Job job) {
        synchronized (numbering) {
            job.changedAs(++changes);
        }
    }
}
