package io.sluice.service;

import io.sluice.http.HttpSettings;
import io.sluice.http.ServerLimits;
import io.sluice.service.run.RunSettings;
import io.sluice.service.spec.SourceRoots;
import java.nio.file.Path;
import java.time.Clock;

/**
 * How a service runs.
 *
 * @param state directory of its jobs and its audit log; made when there is none
 * @param run how jobs share the machine
 * @param queueLimit how many jobs may wait for their turn
 * @param roots where inputs may be
 * @param http where it listens
 * @param limits what it takes of its clients
 * @param clock tells the time
 */
public record ServiceSettings(
        Path state,
        RunSettings run,
        int queueLimit,
        SourceRoots roots,
        HttpSettings http,
        ServerLimits limits,
        Clock clock) {
    /** As many waiting jobs as people still can make sense of; each is a few KB of disk. */
    public static final int USUAL_QUEUE_LIMIT = 1_000;
}
