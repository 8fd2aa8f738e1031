package io.sluice.service.http;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpResponseWriter;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.sluice.http.RequestLimits;
import io.sluice.model.thread.Daemons;
import io.sluice.service.job.Job;
import io.sluice.service.job.JobRegistry;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Event streams (server-sent events of the HTML standard), each to one client. One thread checks for changes twice a
 * second, and writes to every client that has read its previous event. So a slow client gets fewer events and costs no
 * memory. The service drops a client that reads nothing for too long.
 */
final class EventStreams implements AutoCloseable {
    static final int MOST_STREAMS = 256;
    private static final long POLL_MILLIS = 500;
    /** Interval of keep-alive comments: proxies close connections that are idle for 30 s or more. */
    private static final long COMMENT_NANOS = TimeUnit.SECONDS.toNanos(15);

    private static final MediaType EVENTS = MediaType.parse("text/event-stream; charset=utf-8");

    private final JobRegistry jobs;
    private final JobResource resource;
    private final long stallNanos;
    private final Set<Stream> streams = ConcurrentHashMap.newKeySet();
    private final ScheduledExecutorService poller;

    /** @param stallMillis maximum time for which a client may leave an event unread */
    EventStreams(JobRegistry jobs, JobResource resource, long stallMillis) {
        this.jobs = jobs;
        this.resource = resource;
        stallNanos = TimeUnit.MILLISECONDS.toNanos(stallMillis);
        poller = Executors.newSingleThreadScheduledExecutor(Daemons.named("service-events"));
        var unused = poller.scheduleWithFixedDelay(this::poll, POLL_MILLIS, POLL_MILLIS, TimeUnit.MILLISECONDS);
    }

    /**
     * Opens a stream of one job's changes, or of all jobs' changes from now on.
     *
     * @param watchers limit on streams; the stream takes one place
     */
    HttpResponse open(ServiceRequestContext ctx, @Nullable Job job, RequestLimits watchers) {
        RequestLimits.Place place = watchers.take(ctx);
        // No request timeout: the stream lasts as long as the client stays connected.
        ctx.clearRequestTimeout();
        Stream stream = new Stream(job, job == null ? jobs.changes() : -1);
        stream.out.write(ResponseHeaders.builder(HttpStatus.OK)
                .contentType(EVENTS)
                .set(HttpHeaderNames.CACHE_CONTROL, "no-store")
                .build());
        // From here on the watching thread may write, too.
        streams.add(stream);
        var unused = stream.out.whenComplete().handle((done, failure) -> {
            place.close();
            return streams.remove(stream);
        });
        try {
            stream.poll();
        } catch (RuntimeException e) {
            stream.out.abort(e);
            throw e;
        }
        return stream.out;
    }

    private void poll() {
        for (Stream stream : streams) {
            try {
                stream.poll();
            } catch (RuntimeException e) {
                stream.out.close(e);
            }
        }
    }

    /** Ends all streams; clients reconnect to the next service. */
    @Override
    public void close() {
        poller.shutdownNow();
        streams.forEach(stream -> stream.out.close());
    }

    private final class Stream {
        private final HttpResponseWriter out = HttpResponse.streaming();
        private final @Nullable Job job;
        private long seen;
        private long writtenNanos = System.nanoTime();
        private volatile boolean reading;

        Stream(@Nullable Job job, long seen) {
            this.job = job;
            this.seen = seen;
        }

        synchronized void poll() {
            if (reading) {
                if (System.nanoTime() - writtenNanos > stallNanos) {
                    out.abort();
                }
                return;
            }
            StringBuilder text = new StringBuilder();
            boolean end = job == null ? all(text) : one(job, text);
            if (text.isEmpty() && System.nanoTime() - writtenNanos > COMMENT_NANOS) {
                text.append(": nothing new\n\n");
            }
            if (!text.isEmpty()) {
                write(text.toString());
            }
            if (end) {
                out.close();
            }
        }

        private void write(String text) {
            reading = true;
            writtenNanos = System.nanoTime();
            if (out.tryWrite(HttpData.ofUtf8(text))) {
                var unused = out.whenConsumed().handle((done, failure) -> {
                    reading = false;
                    return null;
                });
            }
        }

        private boolean one(Job watched, StringBuilder text) {
            long change = watched.lastChange();
            if (change == seen) {
                return false;
            }
            seen = change;
            // Read first: if the job ends meanwhile, the next check finds a change.
            boolean end = watched.state().isFinal();
            append(text, "import", watched);
            if (end) {
                append(text, "end", watched);
            }
            return end;
        }

        private boolean all(StringBuilder text) {
            long now = jobs.changes();
            if (now == seen) {
                return false;
            }
            for (Job changed : jobs.newestFirst()) {
                if (changed.lastChange() > seen) {
                    append(text, "import", changed);
                }
            }
            seen = now;
            return false;
        }

        private void append(StringBuilder text, String name, Job about) {
            text.append("event: ").append(name).append("\ndata: ");
            // The mapper writes one line, as an event needs.
            text.append(resource.of(about)).append("\n\n");
        }
    }
}
