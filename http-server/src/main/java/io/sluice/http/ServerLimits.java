package io.sluice.http;

import io.sluice.model.error.BadInputException;

/**
 * The limits of an HTTP server.
 *
 * @param connections limits of connections
 * @param waitingRequests maximum number of requests that wait for a thread; more get a 503
 * @param headerBytes maximum total length of a request's headers
 * @param bodyBytes maximum length of a body, unless its route sets another one
 * @param requestMillis maximum duration of a request with a small body
 * @param stallMillis maximum time for which a client may leave a stream unread
 * @param drainMillis maximum time for which closing waits for requests in progress
 */
public record ServerLimits(
        ConnectionLimits connections,
        int waitingRequests,
        int headerBytes,
        int bodyBytes,
        long requestMillis,
        long stallMillis,
        long drainMillis) {
    /**
     * Validates all limits.
     *
     * @throws BadInputException if some limits are not positive; the message lists them
     */
    public ServerLimits {
        new LimitCheck()
                .positive("connections", connections.total())
                .positive("connections per client", connections.perClient())
                .positive("first request time", connections.firstRequestMillis())
                .positive("idle time", connections.idleMillis())
                .positive("waiting requests", waitingRequests)
                .positive("header bytes", headerBytes)
                .positive("body bytes", bodyBytes)
                .positive("request time", requestMillis)
                .positive("stall time", stallMillis)
                .positive("drain time", drainMillis + 1)
                .done();
    }

    /**
     * The defaults, for a server with a moderate number of clients.
     *
     * <ul>
     *   <li>headers of 16 KiB: a token of 4 KiB, and the headers of browsers and proxies.
     *   <li>bodies of 2 MiB: a schema of thousands of columns.
     * </ul>
     */
    public static ServerLimits defaults() {
        return new ServerLimits(ConnectionLimits.defaults(), 256, 16 << 10, 2 << 20, 60_000, 30_000, 10_000);
    }

    /** Returns a copy with another header limit. */
    public ServerLimits withHeaderBytes(int most) {
        return new ServerLimits(connections, waitingRequests, most, bodyBytes, requestMillis, stallMillis, drainMillis);
    }

    /** Returns a copy with other times, for fast tests. */
    public ServerLimits withTimes(long request, long idle, long stall, long drain) {
        ConnectionLimits shorter = new ConnectionLimits(
                connections.total(), connections.perClient(), Math.min(idle, connections.firstRequestMillis()), idle);
        return new ServerLimits(shorter, waitingRequests, headerBytes, bodyBytes, request, stall, drain);
    }

    /** Returns a copy with other limits of connections. */
    public ServerLimits withConnections(ConnectionLimits other) {
        return new ServerLimits(
                other, waitingRequests, headerBytes, bodyBytes, requestMillis, stallMillis, drainMillis);
    }
}
