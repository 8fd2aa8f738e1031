package io.sluice.api.wire;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The jobs of import services in the log of their cluster: the body of {@code GET /v1/cluster/jobs}.
 *
 * @param lease which service runs them; null: none ever did
 * @param jobs all jobs; empty in an answer about the lease only
 */
public record JobsBody(@Nullable Lease lease, List<Job> jobs) {
    public JobsBody {
        jobs = jobs == null ? List.of() : List.copyOf(jobs);
    }

    /**
     * The right to run the jobs, and to change them.
     *
     * <pre>
     *              take                                 take, by another service that saw no renewal for long
     *   (none)  -------->  held, term 1, renewal 0  ----------------------------->  held, term 2, renewal 0
     *                        |         ^                                                  ^
     *                        +--renew--+ renewal + 1                                      |
     *                        +--release->  free, term 1  -------------take----------------+
     * </pre>
     *
     * <p>Time is not part of it, so clocks need not agree: a service counts the time since it saw another renewal.
     *
     * @param holder random id of the service, which may take it again at once
     * @param url where the service answers
     * @param term grows with each new holder; a change with an earlier one has no effect
     * @param renewal grows while the holder lives
     * @param free whether the holder gave it up
     */
    public record Lease(String holder, String url, long term, long renewal, boolean free) {
        public Lease {
            String unused = Wire.required("holder", holder);
            unused = Wire.required("url", url);
        }

        /** Whether a service holds it. */
        public boolean isHeldBy(String service) {
            return !free && holder.equals(service);
        }
    }

    /**
     * A job.
     *
     * @param id its id
     * @param record its state, and its report at the end, in JSON
     * @param spec the request, with its credentials, in JSON
     */
    public record Job(String id, String record, String spec) {
        public Job {
            String unused = Wire.required("id", id);
            unused = Wire.required("record", record);
            unused = Wire.required("spec", spec);
        }
    }
}
