package io.sluice.http;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.channel.Channel;
import io.netty.util.AttributeKey;
import io.sluice.http.ServerLimits.ConnectionLimits;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The open connections of a server, bounded in total and per client address.
 *
 * <ul>
 *   <li>At a bound, the server evicts a connection without an admitted request in progress for a new one. It prefers
 *       the oldest connection that never had an admitted request, then the longest idle of the client with the most
 *       connections. If every connection has an admitted request in progress, the server closes the new one. So
 *       connections without a token, however many, cannot lock a client out.
 *   <li>The server closes a connection that has had no request in progress for too long. Unlike an idle timeout this
 *       time does not restart with every byte. So a client that sends its headers or its TLS handshake byte by byte
 *       cannot hold a connection. Before the first admitted request the time is shorter.
 * </ul>
 *
 * Thread-safe.
 */
final class Connections {
    private static final AttributeKey<Connection> CONNECTION = AttributeKey.valueOf(Connections.class, "connection");

    /** Unit of the upper half of a connection's count, all requests so far; the lower half counts those in progress. */
    private static final int BEGUN = 1 << 16;

    private static final int UNDER_WAY = BEGUN - 1;

    private final ConnectionLimits limits;
    private final Counter refusedOfClient;
    private final Counter refusedOfAll;
    private final Counter tooSlow;

    /** Connections in the order of opening; guarded by this, as is the map below. */
    private final Set<Connection> open = new LinkedHashSet<>();

    private final Map<InetAddress, Integer> ofClient = new HashMap<>();

    /** @param metrics prefix of the metrics' names */
    Connections(ConnectionLimits limits, MeterRegistry registry, String metrics) {
        this.limits = limits;
        Gauge.builder(metrics + ".connections", this, Connections::count)
                .description("Open connections")
                .register(registry);
        refusedOfClient = refused(registry, metrics, "client");
        refusedOfAll = refused(registry, metrics, "total");
        tooSlow = refused(registry, metrics, "slow");
    }

    private static Counter refused(MeterRegistry registry, String metrics, String reason) {
        return Counter.builder(metrics + ".connections.closed")
                .description("Connections that the server closed: a bound was reached, or no request came in time")
                .tag("reason", reason)
                .register(registry);
    }

    /** One connection. Its fields may be read without the lock. */
    private static final class Connection {
        private final Channel channel;
        private final InetAddress client;
        private final AtomicInteger requests = new AtomicInteger();
        /** Number of admitted requests in progress. */
        private final AtomicInteger admitted = new AtomicInteger();
        /** Whether any request on the connection was admitted. */
        private volatile boolean everAdmitted;

        private volatile long idleSince = System.nanoTime();
        /** The timeout task; set and cancelled on the event loop. */
        private @Nullable ScheduledFuture<?> watch;

        Connection(Channel channel, InetAddress client) {
            this.channel = channel;
            this.client = client;
        }

        void stopWatch() {
            if (watch != null) {
                watch.cancel(false);
            }
        }
    }

    /** Registers an accepted connection; called on its event loop. */
    void opened(Channel channel) {
        InetAddress client = channel.remoteAddress() instanceof InetSocketAddress address
                ? address.getAddress()
                : InetAddress.getLoopbackAddress();
        Connection connection = new Connection(channel, client);
        channel.attr(CONNECTION).set(connection);
        Connection closed = add(connection);
        channel.closeFuture().addListener(done -> {
            remove(connection);
            connection.stopWatch();
        });
        if (closed != null) {
            var unused = closed.channel.close();
        }
        if (closed != connection) {
            watch(connection, 0);
        }
    }

    /** Counts a request whose headers are complete. */
    void began(@Nullable Channel channel) {
        Connection connection = of(channel);
        if (connection != null) {
            connection.requests.addAndGet(BEGUN + 1);
        }
    }

    /** Counts a request that the gatekeeper admitted by its credentials. */
    void admitted(@Nullable Channel channel) {
        Connection connection = of(channel);
        if (connection != null) {
            connection.everAdmitted = true;
            connection.admitted.incrementAndGet();
        }
    }

    /** Counts the end of an admitted request. */
    void left(@Nullable Channel channel) {
        Connection connection = of(channel);
        if (connection != null) {
            connection.idleSince = System.nanoTime();
            connection.admitted.decrementAndGet();
        }
    }

    /** Counts the end of a request. */
    void ended(@Nullable Channel channel) {
        Connection connection = of(channel);
        if (connection != null) {
            connection.requests.decrementAndGet();
        }
    }

    private static @Nullable Connection of(@Nullable Channel channel) {
        return channel == null ? null : channel.attr(CONNECTION).get();
    }

    private synchronized int count() {
        return open.size();
    }

    /** Adds a connection; returns the connection to evict for it, or itself if there is no room. */
    private synchronized @Nullable Connection add(Connection added) {
        boolean clientFull = ofClient.getOrDefault(added.client, 0) >= limits.perClient();
        Connection evicted = null;
        if (clientFull || open.size() >= limits.total()) {
            (clientFull ? refusedOfClient : refusedOfAll).increment();
            evicted = evictable(clientFull ? added.client : null);
            if (evicted == null) {
                return added;
            }
            remove(evicted);
        }
        open.add(added);
        ofClient.merge(added.client, 1, Integer::sum);
        return evicted;
    }

    private synchronized void remove(Connection connection) {
        if (open.remove(connection)) {
            ofClient.computeIfPresent(connection.client, (client, count) -> count == 1 ? null : count - 1);
        }
    }

    /** Chooses the connection to evict, of one client or of all; null if all have an admitted request in progress. */
    private @Nullable Connection evictable(@Nullable InetAddress client) {
        Connection first = null;
        for (Connection each : open) {
            if (each.admitted.get() == 0 && (client == null || each.client.equals(client))) {
                if (!each.everAdmitted) {
                    // Iterates in the order of opening, so the first match is the oldest.
                    return each;
                }
                if (first == null || before(each, first)) {
                    first = each;
                }
            }
        }
        return first;
    }

    private boolean before(Connection a, Connection b) {
        int ofA = ofClient.getOrDefault(a.client, 0);
        int ofB = ofClient.getOrDefault(b.client, 0);
        return ofA != ofB ? ofA > ofB : a.idleSince - b.idleSince < 0;
    }

    private void watch(Connection connection, int before) {
        Channel channel = connection.channel;
        connection.watch = channel.eventLoop()
                .schedule(
                        () -> {
                            if (!channel.isActive()) {
                                return;
                            }
                            int now = connection.requests.get();
                            if ((now == before || !connection.everAdmitted) && (now & UNDER_WAY) == 0) {
                                tooSlow.increment();
                                var unused = channel.close();
                            } else {
                                watch(connection, now);
                            }
                        },
                        connection.everAdmitted ? limits.idleMillis() : limits.firstRequestMillis(),
                        TimeUnit.MILLISECONDS);
    }
}
