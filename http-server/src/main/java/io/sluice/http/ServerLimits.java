package io.sluice.http;

import io.sluice.api.error.BadInputException;

/**
 * Limits of any server.
 *
 * @param connections how many connections, and how long they may be without a request
 * @param waitingRequests that have not found a thread; more get 503
 * @param headerBytes all headers of a request
 * @param bodyBytes a body, unless its route says otherwise
 * @param requestMillis how long a request with a small body may take
 * @param stallMillis how long a reader may leave a stream unread
 * @param drainMillis how long closing waits for requests under way
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
     * Checks all limits.
     *
     * @throws BadInputException when some are not positive; the message lists all of those
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
     * For a server that some people and machines use.
     *
     * <ul>
     *   <li>headers of 16 KiB: a token of 4 KiB, and what browsers and proxies add.
     *   <li>bodies of 2 MiB: a schema of thousands of columns.
     * </ul>
     */
    public static ServerLimits defaults() {
        return new ServerLimits(ConnectionLimits.defaults(), 256, 16 << 10, 2 << 20, 60_000, 30_000, 10_000);
    }

    /** With headers of other sizes. */
    public ServerLimits withHeaderBytes(int most) {
        return new ServerLimits(connections, waitingRequests, most, bodyBytes, requestMillis, stallMillis, drainMillis);
    }

    /** With other times, for tests that cannot wait. */
    public ServerLimits withTimes(long request, long idle, long stall, long drain) {
        ConnectionLimits shorter = new ConnectionLimits(
                connections.total(), connections.perClient(), Math.min(idle, connections.firstRequestMillis()), idle);
        return new ServerLimits(shorter, waitingRequests, headerBytes, bodyBytes, request, stall, drain);
    }

    /** With other limits of connections. */
    public ServerLimits withConnections(ConnectionLimits other) {
        return new ServerLimits(
                other, waitingRequests, headerBytes, bodyBytes, requestMillis, stallMillis, drainMillis);
    }
}
