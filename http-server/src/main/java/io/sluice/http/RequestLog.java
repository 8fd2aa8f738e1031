package io.sluice.http;

import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.logging.RequestLogProperty;
import com.linecorp.armeria.common.util.Exceptions;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.sluice.model.error.SluiceException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** Writes a log line and a metrics observation when a request ends. */
final class RequestLog {
    private static final Logger LOG = LoggerFactory.getLogger(RequestLog.class);
    private static final int FIRST_CLIENT_ERROR = 400;
    private static final int FIRST_SERVER_ERROR = 500;
    private static final long NANOS_PER_MILLI = 1_000_000;
    /** Label of all unknown paths: one series, so that a client that guesses paths cannot grow the metrics. */
    private static final String NO_ROUTE = "none";

    private final MeterRegistry registry;
    private final String metric;
    private final Predicate<String> frequent;
    private final Connections connections;
    private final Repeats repeats = new Repeats();

    RequestLog(MeterRegistry registry, ServerProfile profile, Connections connections) {
        this.registry = registry;
        metric = profile.metrics() + ".requests";
        frequent = profile.frequent();
        this.connections = connections;
    }

    void watch(ServiceRequestContext ctx) {
        var unusedBegin =
                ctx.log().whenAvailable(RequestLogProperty.SESSION).thenAccept(log -> connections.began(log.channel()));
        var unused = ctx.log().whenComplete().thenAccept(log -> {
            connections.ended(log.channel());
            int status = log.responseStatus().code();
            String route = ctx.config().route().isFallback()
                    ? NO_ROUTE
                    : ctx.config().route().patternString();
            Timer.builder(metric)
                    .description("Requests that are over, and how long they took")
                    .tag("method", ctx.method().name())
                    .tag("route", route)
                    .tag("status", Integer.toString(status))
                    .register(registry)
                    .record(log.totalDurationNanos(), TimeUnit.NANOSECONDS);
            line(ctx, status, log.totalDurationNanos() / NANOS_PER_MILLI, log.responseCause());
        });
    }

    /** Marks a request as admitted by the gatekeeper. */
    void admitted(ServiceRequestContext ctx) {
        var unusedBegin = ctx.log()
                .whenAvailable(RequestLogProperty.SESSION)
                .thenAccept(log -> connections.admitted(log.channel()));
        var unused = ctx.log().whenComplete().thenAccept(log -> connections.left(log.channel()));
    }

    /** Whether the client received a response for the failure, so that the status is enough for the log. */
    private static boolean answered(Throwable thrown) {
        Throwable cause = Exceptions.peel(thrown);
        return cause instanceof ProblemException || cause instanceof SluiceException;
    }

    private void line(ServiceRequestContext ctx, int status, long millis, @Nullable Throwable cause) {
        String id = ApiRequest.id(ctx);
        boolean reading = ctx.method() == HttpMethod.GET || frequent.test(ctx.path());
        if (cause != null && reading && Failures.gone(Exceptions.peel(cause))) {
            // A client that watches a stream disconnects when it has seen enough.
            LOG.debug("{} {} {} {} was left after {} ms", id, ctx.method(), ctx.path(), status, millis);
        } else if (cause != null && !answered(cause)) {
            LOG.info(
                    "{} {} {} {} broke off after {} ms: {}",
                    id,
                    ctx.method(),
                    ctx.path(),
                    status,
                    millis,
                    cause.toString());
        } else if (status == HttpStatus.SERVICE_UNAVAILABLE.code()) {
            unavailable(ctx, id, millis);
        } else {
            // A client that polls sends several requests a second and changes nothing.
            Level usual = status < FIRST_CLIENT_ERROR && reading ? Level.DEBUG : Level.INFO;
            Level level = status >= FIRST_SERVER_ERROR ? Level.WARN : usual;
            LOG.atLevel(level).log("{} {} {} {} in {} ms", id, ctx.method(), ctx.path(), status, millis);
        }
    }

    /** A client that waits repeats its request every few seconds, which is worth a line now and then. */
    private void unavailable(ServiceRequestContext ctx, String id, long millis) {
        int status = HttpStatus.SERVICE_UNAVAILABLE.code();
        String path = ctx.path().substring(0, Math.min(ctx.path().length(), Repeats.MOST_CHARS));
        long left = repeats.take(ctx.method() + " " + path, System.nanoTime());
        String more = left > 0 ? "; " + left + " more since the last line of it" : "";
        Level level = left < 0 ? Level.DEBUG : Level.WARN;
        LOG.atLevel(level).log("{} {} {} {} in {} ms{}", id, ctx.method(), ctx.path(), status, millis, more);
    }

    /**
     * Chooses the lines to log of those that repeat: the first one, and then one after 10, 20, 40 seconds, up to one in
     * 10 minutes. After a pause of twice that time, a line is a first one again. Thread-safe.
     */
    static final class Repeats {
        private static final long FIRST_NANOS = TimeUnit.SECONDS.toNanos(10);
        private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(10);

        /** Most lines that are told apart, by so many characters: 1,000 x 256 x 2 bytes = 0.5 MB. */
        private static final int MOST = 1_000;

        private static final int MOST_CHARS = 256;

        /** The lines by method and path, the longest unused one first; guarded by this. */
        private final Map<String, Line> lines = new LinkedHashMap<>(16, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Line> eldest) {
                return size() > MOST;
            }
        };

        private static final class Line {
            private long loggedNanos;
            private long lastNanos;
            private long pauseNanos = FIRST_NANOS;
            private long left;
        }

        /** Returns the number of lines left out since the last one if this one is to be logged; else -1. */
        synchronized long take(String text, long nowNanos) {
            Line line = lines.get(text);
            if (line == null || nowNanos - line.lastNanos > 2 * line.pauseNanos) {
                line = new Line();
                line.loggedNanos = nowNanos;
                line.lastNanos = nowNanos;
                lines.put(text, line);
                return 0;
            }
            line.lastNanos = nowNanos;
            if (nowNanos - line.loggedNanos < line.pauseNanos) {
                line.left++;
                return -1;
            }
            long left = line.left;
            line.left = 0;
            line.loggedNanos = nowNanos;
            line.pauseNanos = Math.min(2 * line.pauseNanos, LONGEST_NANOS);
            return left;
        }
    }
}
