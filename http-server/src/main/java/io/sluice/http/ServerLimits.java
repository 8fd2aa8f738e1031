package io.sluice.http;

import io.sluice.api.error.BadInputException;

/**
 * What any server takes at most, of everybody together and of each client.
 *
 * @param connections open at a time; more are closed at once
 * @param waitingRequests that have not found a thread; more get 503
 * @param headerBytes all headers of a request
 * @param bodyBytes a body, unless its route says otherwise
 * @param requestMillis how long a request with a small body may take
 * @param idleMillis how long a connection may have no request under way, however many bytes trickle in
 * @param stallMillis how long a reader may leave a stream unread
 * @param drainMillis how long closing waits for requests under way
 */
public record ServerLimits(
        int connections,
        int waitingRequests,
        int headerBytes,
        int bodyBytes,
        long requestMillis,
        long idleMillis,
        long stallMillis,
        long drainMillis) {
    /**
     * Checks all limits.
     *
     * @throws BadInputException when some are not positive; the message lists all of those
     */
    public ServerLimits {
        new LimitCheck()
                .positive("connections", connections)
                .positive("waiting requests", waitingRequests)
                .positive("header bytes", headerBytes)
                .positive("body bytes", bodyBytes)
                .positive("request time", requestMillis)
                .positive("idle time", idleMillis)
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
        return new ServerLimits(1024, 256, 16 << 10, 2 << 20, 60_000, 60_000, 30_000, 10_000);
    }

    /** With headers of other sizes. */
    public ServerLimits withHeaderBytes(int most) {
        return new ServerLimits(
                connections, waitingRequests, most, bodyBytes, requestMillis, idleMillis, stallMillis, drainMillis);
    }

    /** With other times, for tests that cannot wait. */
    public ServerLimits withTimes(long request, long idle, long stall, long drain) {
        return new ServerLimits(connections, waitingRequests, headerBytes, bodyBytes, request, idle, stall, drain);
    }
}
