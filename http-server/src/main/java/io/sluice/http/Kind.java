package io.sluice.http;

import java.util.concurrent.Executor;

/**
 * Requests that share threads and a bound, so that they never keep out those of another kind.
 *
 * @param pool where they are worked on
 * @param places bound on those in progress, waiting for a thread included
 */
public record Kind(Executor pool, RequestLimits places) {}
