package io.sluice.http;

import com.linecorp.armeria.server.ServiceRequestContext;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Bounds the requests of one kind in progress, in total and per client address. A request beyond the bound gets a 503
 * at once. Thread-safe.
 */
public final class RequestLimits {
    private final String kind;
    private final int total;
    private final int perClient;
    private final Counter refused;
    /** Requests per client address; guarded by this, as is the total below. */
    private final Map<InetAddress, Integer> ofClient = new HashMap<>();

    private int taken;

    /**
     * @param metrics prefix of the metrics' names
     * @param kind one word, for problems and metrics
     */
    RequestLimits(MeterRegistry registry, String metrics, String kind, int total, int perClient) {
        this.kind = kind;
        this.total = total;
        this.perClient = perClient;
        Gauge.builder(metrics + ".in.progress", this, RequestLimits::taken)
                .description("Requests in progress")
                .tag("kind", kind)
                .register(registry);
        refused = Counter.builder(metrics + ".refused")
                .description(
                        "Requests that were answered 503, because as many of their kind were in progress as may be")
                .tag("kind", kind)
                .register(registry);
    }

    /**
     * Acquires a place for a request.
     *
     * @throws ProblemException 503 if all places, or all places of the client's address, are taken
     */
    public Place take(ServiceRequestContext ctx) {
        InetAddress client = ctx.remoteAddress().getAddress();
        synchronized (this) {
            int own = ofClient.getOrDefault(client, 0);
            if (own < perClient && taken < total) {
                ofClient.put(client, own + 1);
                taken++;
                return new Place(client);
            }
        }
        refused.increment();
        throw new ProblemException(Failures.busy(
                "as many requests of kind " + kind + " are in progress as the server works on, or lets one client have;"
                        + " try again later",
                kind));
    }

    private synchronized int taken() {
        return taken;
    }

    private synchronized void release(InetAddress client) {
        taken--;
        ofClient.computeIfPresent(client, (address, count) -> count == 1 ? null : count - 1);
    }

    /** An acquired place. Closing it is idempotent. */
    public final class Place implements AutoCloseable {
        private final InetAddress client;
        private final AtomicBoolean closed = new AtomicBoolean();

        private Place(InetAddress client) {
            this.client = client;
        }

        @Override
        public void close() {
            if (!closed.getAndSet(true)) {
                release(client);
            }
        }
    }
}
