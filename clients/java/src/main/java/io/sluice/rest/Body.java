package io.sluice.rest;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Streams the body of a response chunk by chunk, so a body of any length takes little memory. Unlike the JDK's input
 * stream of a body, it times out if the server goes silent. Not thread-safe.
 */
final class Body implements BodySubscriber<Body>, AutoCloseable {
    /** One chunk is requested at a time; only the end can follow it. */
    private static final int MOST_UNREAD = 3;

    private final BlockingQueue<Piece> pieces = new ArrayBlockingQueue<>(MOST_UNREAD);
    private final long silenceMillis;
    private @Nullable Subscription subscription;
    private boolean closed;
    private boolean ended;
    private byte[] unread = {};
    private int at;

    /** Some bytes, or the end, or why there are no more. */
    private record Piece(
            List<ByteBuffer> bytes, boolean last, @Nullable Throwable failure) {}

    /** @param silenceMillis how long nothing may come */
    Body(long silenceMillis) {
        this.silenceMillis = silenceMillis;
    }

    /**
     * The next bytes, the caller's own; null at the end.
     *
     * @throws IOException when the connection breaks, or nothing comes for too long
     */
    byte @Nullable [] next() throws IOException, InterruptedException {
        if (ended) {
            return null;
        }
        Piece piece = pieces.poll(silenceMillis, TimeUnit.MILLISECONDS);
        if (piece == null) {
            throw new HttpTimeoutException("nothing came for " + TimeUnit.MILLISECONDS.toSeconds(silenceMillis) + " s");
        }
        if (piece.failure != null) {
            throw new IOException(piece.failure.getMessage(), piece.failure);
        }
        if (piece.last) {
            ended = true;
            return null;
        }
        ask();
        int length = 0;
        for (ByteBuffer buffer : piece.bytes) {
            length += buffer.remaining();
        }
        ByteBuffer joined = ByteBuffer.allocate(length);
        piece.bytes.forEach(joined::put);
        return joined.array();
    }

    /**
     * All of it.
     *
     * @throws IOException as {@link #next}, and when it is longer than that
     */
    byte[] all(int mostBytes) throws IOException, InterruptedException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] bytes = next(); bytes != null; bytes = next()) {
            if (all.size() + bytes.length > mostBytes) {
                throw new IOException("the response is longer than the " + mostBytes + " bytes that are read");
            }
            all.write(bytes, 0, bytes.length);
        }
        return all.toByteArray();
    }

    /**
     * The next line, without its LF or CRLF, in UTF-8; null at the end. Not to be mixed with {@link #next}.
     *
     * @throws IOException as {@link #next}, and when the line is longer than that
     */
    @Nullable
    String line(int mostBytes) throws IOException, InterruptedException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        while (true) {
            int end = at;
            while (end < unread.length && unread[end] != '\n') {
                end++;
            }
            line.write(unread, at, end - at);
            if (line.size() > mostBytes) {
                throw new IOException("a line is longer than the " + mostBytes + " bytes that are read");
            }
            boolean whole = end < unread.length;
            at = whole ? end + 1 : 0;
            if (!whole) {
                byte[] more = next();
                unread = more == null ? new byte[0] : more;
                if (more != null) {
                    continue;
                }
                if (line.size() == 0) {
                    return null;
                }
            }
            String text = line.toString(StandardCharsets.UTF_8);
            return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
        }
    }

    private synchronized void ask() {
        if (subscription != null && !closed) {
            subscription.request(1);
        }
    }

    @Override
    public CompletionStage<Body> getBody() {
        return CompletableFuture.completedFuture(this);
    }

    @Override
    public synchronized void onSubscribe(Subscription made) {
        subscription = made;
        if (closed) {
            made.cancel();
        } else {
            made.request(1);
        }
    }

    @Override
    public void onNext(List<ByteBuffer> bytes) {
        put(new Piece(bytes, false, null));
    }

    @Override
    public void onError(Throwable failure) {
        put(new Piece(List.of(), true, failure));
    }

    @Override
    public void onComplete() {
        put(new Piece(List.of(), true, null));
    }

    private void put(Piece piece) {
        if (!pieces.offer(piece)) {
            throw new IllegalStateException("the server sent more than was requested");
        }
    }

    /** Gives up what has not been read; the connection of a whole body can be used again. */
    @Override
    public synchronized void close() {
        closed = true;
        if (subscription != null) {
            subscription.cancel();
        }
    }
}
