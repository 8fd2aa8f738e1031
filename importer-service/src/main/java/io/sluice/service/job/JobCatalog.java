package io.sluice.service.job;

import io.sluice.api.wire.JobsBody;
import java.util.List;

/**
 * Keeps all jobs where another service finds them that takes over from this one. What it has counts: files that differ
 * are replaced when a service starts. Thread-safe.
 */
public interface JobCatalog {
    List<JobsBody.Job> all();

    /**
     * Writes a job durably.
     *
     * @throws io.sluice.model.error.BadInputException if it is too long
     * @throws io.sluice.model.error.OperationFailedException if it cannot be written, or another service has taken over
     */
    void put(JobsBody.Job job);

    /** Removes a job in its last state, if it is there. Throws as {@link #put} does. */
    void remove(JobsBody.Job job);
}
