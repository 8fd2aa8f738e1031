package io.sluice.api.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.sluice.api.wire.JobsBody.Job;
import io.sluice.api.wire.JobsBody.Lease;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A change of the import services' jobs or of their lease: the body of {@code POST /v1/cluster/jobs}, and an entry of
 * the replicated log. Repeating it changes nothing more.
 *
 * @param step what is done with the lease
 * @param lease the lease that the author saw; when it takes it, with itself as the holder and the next term
 * @param seen when it takes the lease: how often the former holder had renewed it
 * @param jobs new states of jobs, by a holder
 * @param removed ids of jobs to remove, by a holder; those whose state in {@code jobs} is of an earlier job stay
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record JobsChange(Step step, Lease lease, long seen, List<Job> jobs, List<String> removed) {
    /** A member that only entries of this kind have. */
    public static final String MEMBER = "step";

    /** Longest entry: 512 KiB; the log's limit is 1 MiB. */
    public static final int MAX_BYTES = 512 << 10;

    public JobsChange {
        Step unused = Wire.required("step", step);
        Lease unusedLease = Wire.required("lease", lease);
        jobs = jobs == null ? List.of() : List.copyOf(jobs);
        removed = removed == null ? List.of() : List.copyOf(removed);
    }

    /** The steps of {@link Lease}. */
    public enum Step {
        TAKE,
        RENEW,
        RELEASE,
        /** Changes jobs. */
        WRITE
    }

    public static JobsChange of(Step step, Lease lease) {
        return new JobsChange(step, lease, 0, List.of(), List.of());
    }

    /** Takes the lease from a holder that does not renew it any more, or has given it up; or the first lease. */
    public static JobsChange taking(@Nullable Lease from, String holder, String url) {
        Lease next = new Lease(holder, url, from == null ? 1 : from.term() + 1, 0, false);
        return new JobsChange(Step.TAKE, next, from == null ? 0 : from.renewal(), List.of(), List.of());
    }

    public static JobsChange writing(Lease lease, Job job) {
        return new JobsChange(Step.WRITE, lease, 0, List.of(job), List.of());
    }

    /** Removes a job. Its last state goes with it: the same id may be that of a later job by then. */
    public static JobsChange removing(Lease lease, Job job) {
        return new JobsChange(Step.WRITE, lease, 0, List.of(job), List.of(job.id()));
    }
}
