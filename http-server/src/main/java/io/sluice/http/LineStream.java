package io.sluice.http;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpResponseWriter;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.common.util.TimeoutMode;
import com.linecorp.armeria.server.ServiceRequestContext;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A streamed response with backpressure: it produces the next chunk when the previous one has been sent. It drops a
 * client that does not read for too long. If the client disconnects, it closes the lines at once.
 */
public final class LineStream implements Runnable {
    /** The source of a streamed response. One thread at a time uses it; closed after the last line or a disconnect. */
    public interface Lines extends AutoCloseable {
        /**
         * Appends the next lines.
         *
         * @param into buffer of the caller, valid until this method returns; each call appends some KiB
         * @return whether more lines may follow
         */
        boolean more(ByteArrayOutputStream into) throws IOException;

        @Override
        void close();
    }

    private static final int CHUNK_BYTES = 64 << 10;

    private final HttpResponseWriter out = HttpResponse.streaming();
    private final ServiceRequestContext ctx;
    private final Lines lines;
    private final Executor pool;
    private final Duration patience;
    private final RequestLimits.Place place;
    private final ByteArrayOutputStream chunk = new ByteArrayOutputStream(CHUNK_BYTES);
    /** Held while a thread reads or closes the lines. */
    private final Lock use = new ReentrantLock();

    private boolean closed;

    private LineStream(
            ServiceRequestContext ctx, Lines lines, Executor pool, Duration patience, RequestLimits.Place place) {
        this.ctx = ctx;
        this.lines = lines;
        this.pool = pool;
        this.patience = patience;
        this.place = place;
    }

    /**
     * Starts the stream. It owns the lines and closes them in every case.
     *
     * @param pool threads that read the lines, a chunk at a time
     * @param stallMillis maximum time for which the client may leave a chunk unread
     * @param place closed at the end
     */
    public static HttpResponse of(
            ServiceRequestContext ctx,
            MediaType type,
            Lines lines,
            Executor pool,
            long stallMillis,
            RequestLimits.Place place) {
        LineStream stream = new LineStream(ctx, lines, pool, Duration.ofMillis(stallMillis), place);
        var unused = stream.out.whenComplete().handle((done, failure) -> {
            stream.closeSoon();
            return null;
        });
        stream.out.write(
                ResponseHeaders.builder(HttpStatus.OK).contentType(type).build());
        stream.run();
        return stream.out;
    }

    /** Writes one chunk, and reschedules itself when the chunk has been sent. */
    @Override
    public void run() {
        ctx.setRequestTimeout(TimeoutMode.SET_FROM_NOW, patience);
        boolean more;
        use.lock();
        try {
            if (closed) {
                return;
            }
            more = fill();
        } catch (IOException | RuntimeException e) {
            out.close(e);
            return;
        } finally {
            use.unlock();
        }
        boolean open = chunk.size() == 0 || out.tryWrite(HttpData.wrap(chunk.toByteArray()));
        if (!more) {
            out.close();
        } else if (open) {
            next();
        }
    }

    private boolean fill() throws IOException {
        chunk.reset();
        boolean more = true;
        while (more && chunk.size() < CHUNK_BYTES) {
            more = lines.more(chunk);
        }
        return more;
    }

    private void next() {
        var unused = out.whenConsumed().thenRunAsync(this, pool).exceptionally(failure -> {
            // The client has disconnected, or the pool rejected the task: abort, so that the client does not see a
            // clean end.
            out.close(failure);
            return null;
        });
    }

    /** Closes the lines on a pool's thread, not on the event loop, because another thread may be reading them. */
    private void closeSoon() {
        try {
            pool.execute(this::close);
        } catch (RejectedExecutionException e) {
            close();
        }
    }

    private void close() {
        use.lock();
        try {
            if (!closed) {
                closed = true;
                place.close();
                lines.close();
            }
        } finally {
            use.unlock();
        }
    }
}
