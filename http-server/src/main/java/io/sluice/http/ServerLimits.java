package io.sluice.http;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.sluice.model.error.BadInputException;
import java.util.ArrayList;
import java.util.List;

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

    /** Checks all limits of a server and reports all invalid ones together. */
    public static final class LimitCheck {
        private final List<String> wrong = new ArrayList<>();

        @CanIgnoreReturnValue
        public LimitCheck positive(String name, long value) {
            if (value < 1) {
                wrong.add(name);
            }
            return this;
        }

        /**
         * Ends the check.
         *
         * @throws BadInputException if some limits are not positive; the message lists them
         */
        public void done() {
            if (!wrong.isEmpty()) {
                throw new BadInputException("limits of the server: " + String.join(", ", wrong) + ": must be positive");
            }
        }
    }
}
