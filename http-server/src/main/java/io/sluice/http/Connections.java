package io.sluice.http;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.channel.Channel;
import io.netty.util.AttributeKey;
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
 * The open connections of a server, bounded in all and per client address.
 *
 * <ul>
 *   <li>When a bound is reached, a new connection takes the place of one without an admitted request under way: of the
 *       oldest that never had one, otherwise of the client with the most connections, the longest idle first. If every
 *       connection has an admitted request under way, the new one is closed. So connections that show no token, however
 *       many, keep no client out.
 *   <li>A connection that has had no request under way for too long is closed. Unlike an idle timeout this time does
 *       not begin anew with every byte, so a client that sends its headers, or its TLS handshake, a byte at a time does
 *       not hold a connection. Before the first admitted request the time is shorter.
 * </ul>
 *
 * Usable by several threads.
 */
final class Connections {
    private static final AttributeKey<Connection> CONNECTION = AttributeKey.valueOf(Connections.class, "connection");

    /** In a connection's count, the upper half is all requests that came, the lower half those under way. */
    private static final int BEGUN = 1 << 16;

    private static final int UNDER_WAY = BEGUN - 1;

    private final ConnectionLimits limits;
    private final Counter refusedOfClient;
    private final Counter refusedOfAll;
    private final Counter tooSlow;

    /** In the order of opening; guarded by this, as is the map below. */
    private final Set<Connection> open = new LinkedHashSet<>();

    private final Map<InetAddress, Integer> ofClient = new HashMap<>();

    /** @param metrics begin of the names of the metrics */
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
        /** Admitted requests under way. */
        private final AtomicInteger admitted = new AtomicInteger();
        /** Whether a request on it was ever admitted. */
        private volatile boolean known;

        private volatile long idleSince = System.nanoTime();
        /** Set and cancelled on the event loop. */
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

    /** A connection was opened; on its event loop. */
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

    /** A request has arrived with all its headers. */
    void began(@Nullable Channel channel) {
        Connection connection = of(channel);
        if (connection != null) {
            connection.requests.addAndGet(BEGUN + 1);
        }
    }

    /** The gatekeeper has admitted a request for which the client had to show something. */
    void admitted(@Nullable Channel channel) {
        Connection connection = of(channel);
        if (connection != null) {
            connection.known = true;
            connection.admitted.incrementAndGet();
        }
    }

    /** An admitted request is over. */
    void left(@Nullable Channel channel) {
        Connection connection = of(channel);
        if (connection != null) {
            connection.idleSince = System.nanoTime();
            connection.admitted.decrementAndGet();
        }
    }

    /** A request is over. */
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

    /** Adds a connection; returns which one has to be closed for it, or itself when there is no room. */
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

    /** The connection to close first, of one client or of all; null: every one has an admitted request under way. */
    private @Nullable Connection evictable(@Nullable InetAddress client) {
        Connection first = null;
        for (Connection each : open) {
            if (each.admitted.get() == 0 && (client == null || each.client.equals(client))) {
                if (!each.known) {
                    // In the order of opening, so it is the oldest.
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
                            if ((now == before || !connection.known) && (now & UNDER_WAY) == 0) {
                                tooSlow.increment();
                                var unused = channel.close();
                            } else {
                                watch(connection, now);
                            }
                        },
                        connection.known ? limits.idleMillis() : limits.firstRequestMillis(),
                        TimeUnit.MILLISECONDS);
    }
}
