package io.sluice.http;

/**
 * How many connections a server holds open, and for how long while they carry no request.
 *
 * @param total connections of all clients
 * @param perClient connections of one client address; at most {@code total}
 * @param firstRequestMillis time from opening a connection to its first admitted request, TLS handshake included
 * @param idleMillis time without a request under way after that, however many bytes trickle in
 */
public record ConnectionLimits(int total, int perClient, long firstRequestMillis, long idleMillis) {
    /** Requests in progress may take three quarters of the connections; the rest stay free for reserved routes. */
    private static final int REQUEST_QUARTERS = 3;

    /** 1,024 connections, half of them for one client address; 10 s for the first request, 60 s idle. */
    public static ConnectionLimits defaults() {
        return of(1024, 512);
    }

    /** The default times, with other numbers. */
    public static ConnectionLimits of(int total, int perClient) {
        return new ConnectionLimits(total, Math.min(total, perClient), 10_000, 60_000);
    }

    /** Requests in progress, over all clients. */
    int requests() {
        return requests(total);
    }

    /** Requests in progress of one client address. */
    int requestsPerClient() {
        return requests(perClient);
    }

    private static int requests(int connections) {
        return Math.max(1, (int) ((long) connections * REQUEST_QUARTERS / 4));
    }
}
