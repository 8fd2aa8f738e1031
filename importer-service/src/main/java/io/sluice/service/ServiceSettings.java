package io.sluice.service;

import io.sluice.http.HttpSettings;
import io.sluice.http.ServerLimits;
import io.sluice.service.job.JobCatalog;
import io.sluice.service.run.RunSettings;
import io.sluice.service.spec.SourceRoots;
import java.time.Clock;
import org.jspecify.annotations.Nullable;

/**
 * The settings of an import service.
 *
 * @param state directory of jobs and audit log
 * @param catalog where other services find the jobs; null: nowhere
 * @param run resources of jobs
 * @param queueLimit maximum number of pending jobs
 * @param roots allowed locations of inputs
 * @param http listen address and access control
 * @param limits limits of the HTTP server
 * @param clock source of time
 */
public record ServiceSettings(
        StateDirectory state,
        @Nullable JobCatalog catalog,
        RunSettings run,
        int queueLimit,
        SourceRoots roots,
        HttpSettings http,
        ServerLimits limits,
        Clock clock) {
    /** Default maximum of pending jobs, which a user can still survey; each takes a few KB of disk. */
    public static final int USUAL_QUEUE_LIMIT = 1_000;
}
