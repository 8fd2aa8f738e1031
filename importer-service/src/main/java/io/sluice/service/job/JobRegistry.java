package io.sluice.service.job;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.service.job.JobRecord.Change;
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
import org.jspecify.annotations.Nullable;

/** All jobs, by id and by age. Finished ones are kept, the latest of them, as many as there is room for. */
public final class JobRegistry {
    /**
     * Finished jobs that are kept: some 3 KB of memory each, and a directory. More make place for the next, the oldest
     * first.
     */
    public static final int MOST_FINISHED = 10_000;

    private final JobFiles files;
    private final Clock clock;
    private final int mostPending;
    private final Map<String, Job> byId = new ConcurrentHashMap<>();
    private final ConcurrentNavigableMap<Long, Job> byNumber = new ConcurrentSkipListMap<>();
    private final Map<String, Job> byKey = new HashMap<>();
    private final Set<String> keysUnderWay = new HashSet<>();
    private final Set<String> idsUnderWay = new HashSet<>();
    private final Map<JobState, AtomicLong> counts = new EnumMap<>(JobState.class);
    private final AtomicLong changes = new AtomicLong();
    private final List<Listener> listeners = new CopyOnWriteArrayList<>();
    private final Job.Observer observer = new Counting();
    private long nextNumber = 1;

    /** Told when a job's state has changed, on the thread that changed it: must not wait. */
    @FunctionalInterface
    public interface Listener {
        /**
         * A job is in another state.
         *
         * @param before null: it was just created
         */
        void changed(Job job, @Nullable JobState before);
    }

    /** What became of a request to create a job. */
    public sealed interface Creation {
        /** It is there now. */
        record Created(Job job) implements Creation {}

        /** The same request created it before. */
        record Repeated(Job job) implements Creation {}

        /** The same request is being answered at this moment. */
        record UnderWay() implements Creation {}

        /** The key came with another body before. */
        record OtherBody(Job job) implements Creation {}

        /** There is a job of that id. */
        record Taken(String id) implements Creation {}

        /** Too many wait. */
        record Full(int pending) implements Creation {}
    }

    /**
     * The jobs of a directory.
     *
     * @param mostPending how many may wait for their turn
     */
    public JobRegistry(JobFiles files, int mostPending, Clock clock) {
        this.files = files;
        this.mostPending = mostPending;
        this.clock = clock;
        for (JobState state : JobState.values()) {
            counts.put(state, new AtomicLong());
        }
        for (JobRecord record : files.all()) {
            add(Job.found(record, files, observer, clock));
            nextNumber = Math.max(nextNumber, record.number() + 1);
        }
    }

    private void add(Job job) {
        byId.put(job.id(), job);
        byNumber.put(job.record().number(), job);
        count(job.state()).incrementAndGet();
        CreatedBy request = job.record().request();
        if (request != null) {
            byKey.put(request.key(), job);
        }
        job.changedAs(changes.incrementAndGet());
    }

    /** Tells somebody of all changes from now on. */
    public void listen(Listener listener) {
        listeners.add(listener);
    }

    /**
     * Creates a job and makes it durable.
     *
     * @param id names it
     * @param table name of the table
     * @param spec what is asked for
     * @param request its idempotency key and what its body was, or null
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
            JobRecord record = JobRecord.created(id, number, table, labels, clock.millis(), request);
            if (!files.create(record, spec)) {
                return new Creation.Taken(id);
            }
            job = new Job(record, files, observer, clock);
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

    /** What a request that was made before led to, or null. */
    public synchronized @Nullable Creation before(@Nullable CreatedBy request) {
        if (request == null) {
            return null;
        }
        Job job = byKey.get(request.key());
        CreatedBy first = job == null ? null : job.record().request();
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

    /** All jobs, the newest first. */
    public Collection<Job> newestFirst() {
        return byNumber.descendingMap().values();
    }

    /** Jobs older than one of a number, the newest first. */
    public Collection<Job> olderThan(long number) {
        return byNumber.headMap(number, false).descendingMap().values();
    }

    /** Jobs that a process before this one left unfinished, the oldest first. */
    public List<Job> unfinished() {
        return byNumber.values().stream().filter(job -> !job.state().isFinal()).toList();
    }

    /** How many jobs are in a state. */
    public long in(JobState state) {
        return count(state).get();
    }

    /** The number of the latest change of any job. */
    public long changes() {
        return changes.get();
    }

    /**
     * Asks something of a job.
     *
     * @return the state it is in now; null when the job's state does not allow it
     */
    public @Nullable JobState act(Job job, Action action) {
        while (true) {
            JobState before = job.state();
            JobState next = before.after(action);
            if (next == null || next == before) {
                return next;
            }
            if (job.become(before, next, Change.NOTHING)) {
                return next;
            }
        }
    }

    private AtomicLong count(JobState state) {
        return Objects.requireNonNull(counts.get(state));
    }

    /** Removes the oldest finished jobs when there are too many. */
    public void trim() {
        List<Job> finished = new ArrayList<>();
        for (Job job : byNumber.values()) {
            if (job.state().isFinal()) {
                finished.add(job);
            }
        }
        finished.sort(Comparator.comparingLong(job -> job.record().updatedAt()));
        for (Job job : finished.subList(0, Math.max(0, finished.size() - MOST_FINISHED))) {
            synchronized (this) {
                files.remove(job.record());
                byId.remove(job.id());
                byNumber.remove(job.record().number());
                count(job.state()).decrementAndGet();
                CreatedBy request = job.record().request();
                if (request != null) {
                    byKey.remove(request.key());
                }
            }
        }
    }

    private final class Counting implements Job.Observer {
        @Override
        public void changed(Job job, JobState before) {
            count(before).decrementAndGet();
            count(job.state()).incrementAndGet();
            job.changedAs(changes.incrementAndGet());
            for (Listener listener : listeners) {
                listener.changed(job, before);
            }
        }

        @Override
        public void touched(Job job) {
            job.changedAs(changes.incrementAndGet());
        }
    }
}
