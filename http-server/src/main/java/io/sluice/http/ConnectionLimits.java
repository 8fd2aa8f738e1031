package io.sluice.http;

/**
 * Limits on the number of open connections, and on their time without a request.
 *
 * @param total maximum number of connections
 * @param perClient maximum number of connections of one client address; at most {@code total}
 * @param firstRequestMillis maximum time from accepting a connection to its first admitted request, TLS handshake
 *     included
 * @param idleMillis maximum time without a request in progress after that, regardless of received bytes
 */
public record ConnectionLimits(int total, int perClient, long firstRequestMillis, long idleMillis) {
    /** Requests in progress may use three quarters of the connections; the rest stay free for reserved routes. */
    private static final int REQUEST_QUARTERS = 3;

    /** 1,024 connections, half of them for one client address; 10 s for the first request, 60 s idle. */
    public static ConnectionLimits defaults() {
        return of(1024, 512);
    }

    /** Limits with the default times. */
    public static ConnectionLimits of(int total, int perClient) {
        return new ConnectionLimits(total, Math.min(total, perClient), 10_000, 60_000);
    }

    /** Maximum number of requests in progress over all clients. */
    int requests() {
        return requests(total);
    }

    /** Maximum number of requests in progress of one client address. */
    int requestsPerClient() {
        return requests(perClient);
    }

    private static int requests(int connections) {
        return Math.max(1, (int) ((long) connections * REQUEST_QUARTERS / 4));
    }
}
