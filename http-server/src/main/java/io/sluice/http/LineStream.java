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
 * A response that is made while it is read: the next piece only when the one before has gone to the client. A client
 * that does not read for too long is dropped; one that goes away frees what the lines hold at once.
 */
public final class LineStream implements Runnable {
    private static final int PIECE_BYTES = 64 << 10;

    private final HttpResponseWriter out = HttpResponse.streaming();
    private final ServiceRequestContext ctx;
    private final Lines lines;
    private final Executor pool;
    private final Duration patience;
    private final RequestLimits.Place place;
    private final ByteArrayOutputStream piece = new ByteArrayOutputStream(PIECE_BYTES);
    /** Whoever reads the lines holds it, and whoever closes them. */
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
     * Begins to stream. Takes the lines over: they are closed whatever happens.
     *
     * @param pool reads the lines, a piece at a time
     * @param stallMillis how long the client may leave a piece unread
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

    /** Writes one piece, and comes back when it is gone. */
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
        boolean open = piece.size() == 0 || out.tryWrite(HttpData.wrap(piece.toByteArray()));
        if (!more) {
            out.close();
        } else if (open) {
            next();
        }
    }

    private boolean fill() throws IOException {
        piece.reset();
        boolean more = true;
        while (more && piece.size() < PIECE_BYTES) {
            more = lines.more(piece);
        }
        return more;
    }

    private void next() {
        var unused = out.whenConsumed().thenRunAsync(this, pool).exceptionally(failure -> {
            // Gone, or no thread for it: either way the client must not take this for the end.
            out.close(failure);
            return null;
        });
    }

    /** Elsewhere than on the event loop: somebody may be reading just now. */
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
