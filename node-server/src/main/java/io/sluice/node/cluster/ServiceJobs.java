package io.sluice.node.cluster;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.sluice.api.wire.JobsBody;
import io.sluice.api.wire.JobsBody.Job;
import io.sluice.api.wire.JobsBody.Lease;
import io.sluice.api.wire.JobsChange;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The jobs of import services and their lease, by the entries of the replicated log: a function of the entries alone.
 * Thread-safe.
 */
final class ServiceJobs {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Map<String, Job> jobs = new TreeMap<>();
    private @Nullable Lease lease;

    /** Applies an entry; says why it has no effect, or empty if it has one or had it before. */
    synchronized String apply(JobsChange change) {
        Lease asked = change.lease();
        Lease held = lease;
        boolean holds = held != null && held.isHeldBy(asked.holder()) && held.term() == asked.term();
        switch (change.step()) {
            case TAKE -> {
                boolean next = held == null
                        ? asked.term() == 1
                        : asked.term() == held.term() + 1
                                && (held.free()
                                        || held.holder().equals(asked.holder())
                                        || change.seen() == held.renewal());
                if (!holds && !next) {
                    return "another import service runs the jobs of the cluster";
                }
                lease = holds ? held : asked;
            }
            case RENEW, RELEASE, WRITE -> {
                if (held == null || !holds) {
                    return "another import service has taken over the jobs of the cluster";
                }
                boolean free = change.step() == JobsChange.Step.RELEASE;
                long renewal = held.renewal() + (change.step() == JobsChange.Step.RENEW ? 1 : 0);
                lease = new Lease(held.holder(), held.url(), held.term(), renewal, free);
            }
        }
        Set<String> late = new HashSet<>();
        for (Job job : change.jobs()) {
            if (isLate(job)) {
                late.add(job.id());
            } else {
                jobs.put(job.id(), job);
            }
        }
        change.removed().stream().filter(id -> !late.contains(id)).forEach(jobs::remove);
        return "";
    }

    /**
     * Whether a later state than this one is known: a request whose answer was lost may come after those that followed
     * it. A service writes the first state of a job first, so one that is not known and has changed was removed.
     */
    private boolean isLate(Job next) {
        JsonNode state = parsed(next);
        Job known = jobs.get(next.id());
        if (known == null) {
            return version(state) > 1;
        }
        JsonNode now = parsed(known);
        long newer = number(state) - number(now);
        return newer < 0 || (newer == 0 && version(state) < version(now));
    }

    private static JsonNode parsed(Job job) {
        try {
            return JSON.readTree(job.record());
        } catch (JsonProcessingException e) {
            return MissingNode.getInstance();
        }
    }

    /** Number of a job's state changes; 0: its record has none. */
    private static int version(JsonNode state) {
        return state.path("version").asInt();
    }

    /** Sequence number of a job's creation: later jobs of one id have greater ones. */
    private static long number(JsonNode state) {
        return state.path("number").asLong();
    }

    synchronized JobsBody lease() {
        return new JobsBody(lease, List.of());
    }

    synchronized JobsBody all() {
        return new JobsBody(lease, List.copyOf(jobs.values()));
    }

    /** Takes over a snapshot; null: one without jobs. */
    synchronized void restore(@Nullable JobsBody stored) {
        jobs.clear();
        lease = stored == null ? null : stored.lease();
        if (stored != null) {
            stored.jobs().forEach(job -> jobs.put(job.id(), job));
        }
    }
}
