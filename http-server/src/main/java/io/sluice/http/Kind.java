package io.sluice.http;

import java.util.concurrent.Executor;

/**
 * A kind of requests with its own threads and bound, so that it cannot starve other kinds.
 *
 * @param pool threads that run the requests
 * @param places bound on the requests in progress, including those that wait for a thread
 */
public record Kind(Executor pool, RequestLimits places) {}
