package io.sluice.http;

import io.netty.channel.Channel;
import io.netty.util.AttributeKey;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Closes connections that have had no request under way for too long. Unlike an idle timeout it does not begin anew
 * with every byte, so a client that sends its headers, or its TLS handshake, a byte at a time does not hold a
 * connection.
 */
final class ConnectionPatience {
    private static final AttributeKey<AtomicInteger> REQUESTS =
            AttributeKey.valueOf(ConnectionPatience.class, "requests");

    /** In a connection's count, the upper half is all requests that came, the lower half those under way. */
    private static final int BEGUN = 1 << 16;

    private static final int UNDER_WAY = BEGUN - 1;

    private final long idleMillis;

    ConnectionPatience(long idleMillis) {
        this.idleMillis = idleMillis;
    }

    /** A connection was opened. */
    void opened(Channel channel) {
        channel.attr(REQUESTS).set(new AtomicInteger());
        watch(channel, 0);
    }

    /** A request has arrived with all its headers; on the connection's event loop. */
    void began(@Nullable Channel channel) {
        AtomicInteger count = requests(channel);
        if (count != null) {
            count.addAndGet(BEGUN + 1);
        }
    }

    /** A request is over. */
    void ended(@Nullable Channel channel) {
        AtomicInteger count = requests(channel);
        if (count != null) {
            count.decrementAndGet();
        }
    }

    private void watch(Channel channel, int before) {
        var timer = channel.eventLoop()
                .schedule(
                        () -> {
                            AtomicInteger count = requests(channel);
                            if (count == null || !channel.isActive()) {
                                return;
                            }
                            int now = count.get();
                            if (now == before && (now & UNDER_WAY) == 0) {
                                var unused = channel.close();
                            } else {
                                watch(channel, now);
                            }
                        },
                        idleMillis,
                        TimeUnit.MILLISECONDS);
        channel.closeFuture().addListener(closed -> timer.cancel(false));
    }

    private static @Nullable AtomicInteger requests(@Nullable Channel channel) {
        return channel == null ? null : channel.attr(REQUESTS).get();
    }
}
