package io.sluice.importer.source.remote;

import io.sluice.importer.source.codec.BlockStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Reads a response's body as a stream that fails if no byte comes for {@value #PATIENCE_SECONDS} s; the JDK's stream
 * would wait forever. It requests one batch of buffers at a time, so that little more than a TCP window is in memory.
 */
final class TimedBody extends BlockStream implements BodySubscriber<InputStream> {
    private static final long PATIENCE_SECONDS = 30;

    private final LinkedBlockingQueue<Event> events = new LinkedBlockingQueue<>();
    private Flow.@Nullable Subscription subscription;
    private boolean closed;
    private List<ByteBuffer> buffers = List.of();
    private int next;
    private boolean ended;

    /** An event of the HTTP client: bytes, or the end with or without a failure. */
    private record Event(
            List<ByteBuffer> bytes, boolean last, @Nullable Throwable failure) {}

    private TimedBody() {}

    static BodyHandler<InputStream> handler() {
        return info -> new TimedBody();
    }

    @Override
    public CompletionStage<InputStream> getBody() {
        return CompletableFuture.completedFuture(this);
    }

    @Override
    public synchronized void onSubscribe(Flow.Subscription opened) {
        // The client returns the stream before it subscribes, so the stream may be closed already.
        if (closed) {
            opened.cancel();
        } else {
            subscription = opened;
            opened.request(1);
        }
    }

    @Override
    public void onNext(List<ByteBuffer> bytes) {
        events.add(new Event(bytes, false, null));
    }

    @Override
    public void onError(Throwable failure) {
        events.add(new Event(List.of(), true, failure));
    }

    @Override
    public void onComplete() {
        events.add(new Event(List.of(), true, null));
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        while (true) {
            while (next < buffers.size()) {
                ByteBuffer bytes = buffers.get(next);
                if (bytes.hasRemaining()) {
                    int read = Math.min(length, bytes.remaining());
                    bytes.get(buffer, offset, read);
                    return read;
                }
                next++;
            }
            if (ended) {
                return -1;
            }
            await();
        }
    }

    private void await() throws IOException {
        Event event;
        try {
            event = events.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while reading");
        }
        if (event == null) {
            throw new TransientException("nothing came for " + PATIENCE_SECONDS + " s", 0, null);
        }
        if (event.failure() != null) {
            throw new TransientException(
                    "the connection broke (" + event.failure().getClass().getSimpleName() + ")", 0, event.failure());
        }
        buffers = event.bytes();
        next = 0;
        ended = event.last();
        if (!ended) {
            requestMore();
        }
    }

    private synchronized void requestMore() {
        if (subscription != null && !closed) {
            subscription.request(1);
        }
    }

    @Override
    public void close() {
        ended = true;
        buffers = List.of();
        synchronized (this) {
            closed = true;
            if (subscription != null) {
                subscription.cancel();
            }
        }
    }
}
